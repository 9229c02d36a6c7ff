// SPDX-License-Identifier: MIT
#include "engine/device.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <variant>

#include "engine/status.hpp"
#include "wire/response.hpp"

namespace engine {

using wire::Status;

namespace {

std::size_t statistics_index(Status status) {
    const auto value = static_cast<std::size_t>(status);
    return std::min(value, std::tuple_size_v<decltype(Statistics::status)> - 1);
}

template <class Command>
std::uint64_t transfer_bytes(const Command& command) {
    if constexpr (std::is_base_of_v<wire::Transfer, Command>) return command.bytes;
    return 0;
}

provider::DeviceInfo limited(provider::DeviceInfo info, const Policy& policy) {
    info.max_contexts = std::min(info.max_contexts, policy.max_contexts);
    return info;
}

template <class Command>
std::uint64_t first_object(const Command& command) {
    if constexpr (requires { command.object; }) return command.object;
    if constexpr (requires { command.context; }) return command.context;
    if constexpr (requires { command.buffer; }) return command.buffer;
    if constexpr (requires { command.queue; }) return command.queue;
    return 0;
}

}  // namespace

Device::Device(const wire::Config& config, std::unique_ptr<provider::Provider> provider,
               const Policy& policy, std::uint16_t name_space)
    : config_(config),
      policy_(policy),
      provider_(std::move(provider)),
      info_(limited(provider_->device_info(), policy)),
      contexts_(Kind::Context, info_.max_contexts),
      buffers_(Kind::Buffer, info_.max_contexts * info_.max_buffers_per_context),
      programs_(Kind::Program, info_.max_contexts * info_.max_programs_per_context),
      queues_(Kind::Queue, info_.max_contexts * info_.max_queues_per_context),
      events_(Kind::Event, info_.max_contexts * info_.max_events_per_context),
      name_space_(name_space) {
    // An artifact that no frame can carry is not advertised (protocol.md 10, item 3).
    info_.max_artifact_bytes = std::min(info_.max_artifact_bytes,
                                        config_.max_request_bytes - wire::LoadProgram::kDataOffset);
    limits_ = {
        .capabilities = info_.capabilities,
        .max_buffer_bytes = info_.max_buffer_bytes,
        .max_artifact_bytes = info_.max_artifact_bytes,
        .max_bindings = info_.max_bindings_per_submission,
    };
    contexts_.clear(name_space);
    buffers_.clear(name_space);
    programs_.clear(name_space);
    queues_.clear(name_space);
    events_.clear(name_space);
    decoded_bindings_.resize(info_.max_bindings_per_submission);
    provider_bindings_.reserve(info_.max_bindings_per_submission);
}

void Device::serve(Host& host, Ticket ticket, const wire::Chain& chain) {
    ++statistics_.commands;
    admit(host, ticket, chain);
}

void Device::admit(Host& host, Ticket ticket, const wire::Chain& chain) {
    Ports ports{wire::Reader(chain.readable), wire::Writer(chain.writable)};
    const auto unusable = [&] {
        ++statistics_.unusable;
        host.complete(ticket, 0);
    };
    if (ports.response.size() < wire::kHeaderBytes || ports.request.size() < wire::kHeaderBytes)
        return unusable();

    const wire::RequestHeader header = wire::decode_header(ports.request);
    const auto refuse = [&](Status status) {
        answer(host, ticket, {header.opcode, header.request_id}, ports.response, status);
    };
    const Status framing =
        wire::check_header(header, ports.request.size(), config_.max_request_bytes);
    if (framing != Status::Ok) return refuse(framing);
    const auto command = wire::decode(header, ports.request, limits_, decoded_bindings_);
    if (!command) return refuse(command.error());
    const std::uint64_t needed = wire::response_capacity(*command);
    if (needed > config_.max_response_bytes) return refuse(Status::ResourceLimit);
    // A well-formed command that cannot be answered must not take effect.
    if (ports.response.size() < needed) return unusable();
    if (health_ != Health::Running) return refuse(Status::DeviceLost);

    // Commands allocate only before they change anything.
    try {
        std::visit(
            [&](const auto& c) {
                const Origin origin{header.opcode, header.request_id, first_object(c)};
                begin(host, {ticket, chain, 0}, origin, c, ports);
            },
            *command);
    } catch (const std::bad_alloc&) {
        refuse(Status::OutOfMemory);
    }
}

template <class Command>
void Device::begin(Host& host, const Parked& parked, const Origin& origin, const Command& command,
                   const Ports& ports) {
    wire::Writer response = ports.response;
    const auto reply_with = [&](const Reply& reply) {
        if (const auto context = reply.awaited_context())
            parked_.push_back({parked.ticket, parked.chain, *context});
        else
            answer(host, parked.ticket, origin, response, reply);
    };
    if constexpr (std::is_same_v<decltype(execute(command, ports)), Reply>) {
        reply_with(execute(command, ports));
    } else {
        Task task = execute(command, ports);
        if (task.done()) return reply_with(task.reply());
        hand_out(host,
                 Work(std::move(task), parked.ticket, origin, transfer_bytes(command), response));
    }
}

void Device::hand_out(Host& host, Work work) {
    ++working_;
    host.start(std::move(work));
}

void Device::finish(Host& host, Work work) {
    --working_;
    work.task_.resume();
    if (!work.task_.done()) return hand_out(host, std::move(work));
    answer(host, work.ticket_, work.origin_, work.response_, work.task_.reply());
    for (std::size_t left = parked_.size(); left > 0; --left) {
        const Parked next = parked_.front();
        parked_.pop_front();
        if (occupied(next.context))
            parked_.push_back(next);
        else
            admit(host, next.ticket, next.chain);
    }
}

void Device::answer(Host& host, Ticket ticket, const Origin& origin, wire::Writer& response,
                    const Reply& reply) {
    if (reply.status() != Status::Ok)
        host.refused({origin, context_of(origin.object), reply.status()});
    ++statistics_.status[statistics_index(reply.status())];
    response.write(wire::kHeaderBytes, reply.inline_payload());
    host.complete(ticket, wire::write_header(response, reply.status(), origin.request_id,
                                             reply.payload_bytes()));
}

bool Device::occupied(std::uint32_t context) {
    return contexts_.contains(context) && contexts_[context].occupied;
}

std::uint64_t Device::context_of(std::uint64_t object) {
    const auto context = [&](auto& table, auto index_of_context) -> std::uint64_t {
        const auto index = table.find(object);
        return index ? contexts_.packed_id(index_of_context(*index)) : 0;
    };
    switch (Id::kind_of(object)) {
        case Kind::Context:
            return context(contexts_, std::identity{});
        case Kind::Buffer:
            return context(buffers_, [&](auto index) { return buffers_[index].context; });
        case Kind::Program:
            return context(programs_, [&](auto index) { return programs_[index].context; });
        case Kind::Queue:
            return context(queues_, [&](auto index) { return queues_[index].context; });
        case Kind::Event:
            return context(events_,
                           [&](auto index) { return queues_[events_[index].queue].context; });
    }
    return 0;
}

Reply Device::execute(const wire::GetDeviceInfo&, const Ports&) {
    virtio_accel_device_info raw{};
    std::ranges::copy(info_.uuid, raw.uuid);
    raw.device_class = wire::le(static_cast<std::uint16_t>(info_.device_class));
    raw.vendor_id = wire::le(info_.vendor_id);
    raw.device_id = wire::le(info_.device_id);
    raw.capabilities = wire::le(info_.capabilities);
    raw.max_contexts = wire::le(info_.max_contexts);
    raw.max_buffers_per_context = wire::le(info_.max_buffers_per_context);
    raw.max_programs_per_context = wire::le(info_.max_programs_per_context);
    raw.max_queues_per_context = wire::le(info_.max_queues_per_context);
    raw.max_events_per_context = wire::le(info_.max_events_per_context);
    raw.max_bindings_per_submission = wire::le(info_.max_bindings_per_submission);
    raw.max_buffer_bytes = wire::le(info_.max_buffer_bytes);
    raw.max_artifact_bytes = wire::le(info_.max_artifact_bytes);
    return Reply::with(raw);
}

wire::Status Device::fail(const provider::Error& error) {
    if (error.kind == provider::ErrorKind::DeviceLost) discard();
    return status_of(error);
}

wire::Status Device::discard() {
    health_ = Health::DiscardRequired;
    return Status::DeviceLost;
}

Counts Device::live() const {
    return {
        .contexts = contexts_.live(),
        .buffers = buffers_.live(),
        .programs = programs_.live(),
        .queues = queues_.live(),
        .events = events_.live(),
        .buffer_bytes = buffer_charge_,
        .program_bytes = program_charge_,
    };
}

}  // namespace engine
