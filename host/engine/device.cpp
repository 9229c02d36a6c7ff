// SPDX-License-Identifier: MIT
#include "engine/device.hpp"

#include <algorithm>
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

}  // namespace

Device::Device(const wire::Config& config, std::unique_ptr<provider::Provider> provider,
               const Policy& policy, std::uint16_t name_space)
    : config_(config),
      policy_(policy),
      provider_(std::move(provider)),
      info_(provider_->device_info()),
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

std::uint32_t Device::process(const wire::Chain& chain) {
    wire::Reader request(chain.readable);
    wire::Writer response(chain.writable);
    ++statistics_.commands;

    const auto unusable = [this] {
        ++statistics_.unusable;
        return 0U;
    };
    if (response.size() < wire::kHeaderBytes || request.size() < wire::kHeaderBytes)
        return unusable();

    const wire::RequestHeader header = wire::decode_header(request);
    const auto answer = [&](const Reply& reply) {
        ++statistics_.status[statistics_index(reply.status())];
        response.write(wire::kHeaderBytes, reply.inline_payload());
        return wire::write_header(response, reply.status(), header.request_id,
                                  reply.payload_bytes());
    };

    const Status framing = wire::check_header(header, request.size(), config_.max_request_bytes);
    if (framing != Status::Ok) return answer(framing);
    const auto command = wire::decode(header, request, limits_, decoded_bindings_);
    if (!command) return answer(command.error());
    const std::uint64_t needed = wire::response_capacity(*command);
    if (needed > config_.max_response_bytes) return answer(Status::ResourceLimit);
    // A well-formed command that cannot be answered must not take effect.
    if (response.size() < needed) return unusable();
    if (health_ != Health::Running) return answer(Status::DeviceLost);

    Ports ports{request, response};
    try {
        return answer(std::visit([&](const auto& c) { return execute(c, ports); }, *command));
    } catch (const std::bad_alloc&) {
        // Commands allocate only before they change anything.
        return answer(Status::OutOfMemory);
    }
}

Reply Device::execute(const wire::GetDeviceInfo&, Ports&) {
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
