// SPDX-License-Identifier: MIT
#include <variant>

#include "engine/device.hpp"
#include "engine/release.hpp"
#include "engine/status.hpp"
#include "provider/bindings.hpp"

namespace engine {

using wire::Status;

namespace {

virtio_accel_event_state to_wire(const provider::EventState& state) {
    const bool failed = state.phase == provider::EventPhase::Failed;
    const auto error = failed ? status_of(state.error) : Status::Ok;
    return {
        .state = wire::le(static_cast<std::uint16_t>(state.phase)),
        .error = wire::le(static_cast<std::uint16_t>(error)),
        .reserved = 0,
    };
}
static_assert(static_cast<int>(provider::EventPhase::Pending) == VIRTIO_ACCEL_EVENT_PENDING);
static_assert(static_cast<int>(provider::EventPhase::Complete) == VIRTIO_ACCEL_EVENT_COMPLETE);
static_assert(static_cast<int>(provider::EventPhase::Failed) == VIRTIO_ACCEL_EVENT_FAILED);
static_assert(static_cast<int>(provider::EventPhase::Cancelled) == VIRTIO_ACCEL_EVENT_CANCELLED);

}  // namespace

void Device::hold(const EventRecord& event) {
    ++queues_[event.queue].references;
    ++programs_[event.program].references;
    for (const std::uint32_t buffer : event.buffers)
        ++buffers_[buffer].references;
    ++contexts_[queues_[event.queue].context].events;
}

void Device::drop(const EventRecord& event) {
    --contexts_[queues_[event.queue].context].events;
    for (const std::uint32_t buffer : event.buffers)
        --buffers_[buffer].references;
    --programs_[event.program].references;
    --queues_[event.queue].references;
}

Reply Device::execute(const wire::Submit& command, const Ports&) {
    const auto queue = queues_.find(command.queue);
    if (!queue) return queue.error();
    const auto program = programs_.find(command.program);
    if (!program) return program.error();
    const std::uint32_t context = queues_[*queue].context;
    if (programs_[*program].context != context) return Status::StaleObject;
    // Whatever the provider is busy with may be about to go, or be half written.
    const std::uint64_t taken = contexts_[context].occupied_object;
    bool waits = taken == command.queue || taken == command.program;

    EventRecord event{.native = nullptr, .queue = *queue, .program = *program, .buffers = {}};
    event.buffers.reserve(command.bindings.size());
    for (const wire::Binding& binding : command.bindings) {
        const auto buffer = buffers_.find(binding.buffer);
        if (!buffer) return buffer.error();
        if (buffers_[*buffer].context != context) return Status::StaleObject;
        event.buffers.push_back(*buffer);
        waits = waits || taken == binding.buffer;
    }
    if (waits) return Reply::wait_for(context);

    if (contexts_[context].events >= info_.max_events_per_context) return Status::ResourceLimit;
    auto room = events_.reserve();
    if (!room) return Status::ResourceLimit;

    provider_bindings_.clear();
    for (std::size_t i = 0; i < command.bindings.size(); ++i) {
        const wire::Binding& binding = command.bindings[i];
        BufferRecord& buffer = buffers_[event.buffers[i]];
        const auto access = static_cast<provider::Access>(binding.access);
        if (binding.offset + binding.bytes > buffer.desc.bytes) return Status::OutOfBounds;
        if (!provider::permits(buffer.desc.usage, access)) return Status::PermissionDenied;
        provider_bindings_.push_back(
            {buffer.native.get(), binding.offset, binding.bytes, binding.slot, access});
    }

    // From here on nothing may fail but the provider: the references must be taken
    // before it can accept. Their 32-bit counts cannot overflow (see Engine::create).
    hold(event);
    provider::SubmitResult result =
        provider_->submit(*queues_[*queue].native, *programs_[*program].native, provider_bindings_,
                          command.timeout_ns);
    if (auto* accepted = std::get_if<provider::Accepted>(&result)) {
        event.native = std::move(accepted->event);
        return Reply::id(events_.insert(*std::move(room), std::move(event)));
    }
    if (auto* unknown = std::get_if<provider::SubmitUnknown>(&result)) {
        event.native = std::move(unknown->event);
        const std::uint64_t id = events_.insert(*std::move(room), std::move(event));
        return Reply::id(id, fail(unknown->error));
    }
    drop(event);
    return fail(std::get<provider::SubmitRejected>(result).error);
}

Reply Device::execute(const wire::PollEvent& command, const Ports&) {
    const auto index = events_.find(command.object);
    if (!index) return index.error();
    const auto state = provider_->poll_event(*events_[*index].native);
    if (!state) return fail(state.error());
    if (state->lost()) discard();
    return Reply::with(to_wire(*state));
}

Reply Device::execute(const wire::CancelEvent& command, const Ports&) {
    // The capability comes before the lookup (protocol.md 9, trap 23).
    if ((info_.capabilities & provider::kCapEventCancellation) == 0) return Status::Unsupported;
    const auto index = events_.find(command.object);
    if (!index) return index.error();
    const auto cancelled = provider_->cancel_event(*events_[*index].native);
    if (!cancelled) return fail(cancelled.error());
    return Status::Ok;
}

Reply Device::execute(const wire::DestroyEvent& command, const Ports&) {
    const auto index = events_.find(command.object);
    if (!index) return index.error();
    const auto state = provider_->poll_event(*events_[*index].native);
    if (!state) return fail(state.error());
    if (!state->terminal()) return Status::Busy;
    if (state->lost()) return discard();
    return settle_event(*index, provider_->destroy_event(std::move(events_[*index].native))).status;
}

Device::Release Device::settle_event(std::uint32_t index,
                                     provider::ReleaseResult<provider::Event> result) {
    EventRecord& event = events_[index];
    const Release done = settle(event, std::move(result));
    if (done.outcome == Outcome::Rejected) return done;
    drop(event);
    if (done.outcome == Outcome::Unknown) ++quarantine_.events;
    events_.remove(index);
    return done;
}

}  // namespace engine
