// SPDX-License-Identifier: MIT
#include <algorithm>

#include "provider/guard.hpp"
#include "xdna/provider.hpp"
#include "xdna/runtime.hpp"

namespace xdna {
namespace {

using provider::Binding;
using provider::EventPhase;
using provider::EventState;
using provider::SubmitRejected;

const BufferObject& buffer_of(const Binding& binding) {
    return static_cast<const BufferObject&>(*binding.buffer);
}

template <class T>
std::shared_ptr<dispatch::Gate> gate_of(const std::shared_ptr<T>& owner) {
    return {owner, &owner->gate};
}

}  // namespace

Result<void> XdnaProvider::check_bindings(const QueueObject& queue, const ProgramObject& program,
                                          std::span<const Binding> bindings) const {
    if (&program.context != &queue.context) return std::unexpected(ErrorKind::InvalidArgument);
    const auto valid = provider::check_bindings(
        bindings, info_.max_bindings_per_submission, [&](const provider::Buffer& buffer) {
            return &static_cast<const BufferObject&>(buffer).context == &queue.context;
        });
    if (!valid) return valid;
    if (!provider::fits(bindings, program.kernel->slots))
        return std::unexpected(ErrorKind::Incompatible);
    return {};
}

// The lane has the last word. But a run takes memory of the driver, and none is made for a
// submission that has no chance.
Result<void> XdnaProvider::look_for_room(std::span<const Binding> bindings) {
    if (look().places_taken == dispatch::kPipelined.depth() ||
        std::ranges::any_of(bindings, [](const Binding& binding) {
            return buffer_of(binding).storage->gate.in_use();
        }))
        return std::unexpected(ErrorKind::Busy);
    return {};
}

Result<std::unique_ptr<EventObject>> XdnaProvider::launch(const QueueObject& queue,
                                                          const ProgramObject& program,
                                                          std::span<const Binding> bindings) {
    dispatch::Touched touches{queue.gate, gate_of(program.kernel)};
    std::vector<Argument> arguments;
    std::vector<Argument> outputs;
    for (const Binding& binding : bindings) {
        const auto& storage = buffer_of(binding).storage;
        touches.push_back(gate_of(storage));
        arguments.push_back({storage->memory.shared(), binding.offset, binding.bytes});
        if (binding.access != provider::Access::Read) outputs.push_back(arguments.back());
    }
    auto run = program.kernel->executable->make_run(arguments);
    if (!run) return std::unexpected(run.error());

    auto event = std::make_unique<EventObject>(queue.context);
    auto job = std::make_unique<Job>(std::move(*run), std::move(outputs), quarantine_);
    auto ticket = lane_->submit({std::move(job), std::move(touches)});
    if (!ticket) return std::unexpected(ticket.error());
    event->ticket.emplace(std::move(*ticket));
    return event;
}

provider::SubmitResult XdnaProvider::submit(provider::Queue& to, provider::Program& what,
                                            std::span<const Binding> bindings,
                                            std::uint64_t timeout_ns) {
    const auto& queue = static_cast<const QueueObject&>(to);
    const auto& program = static_cast<const ProgramObject&>(what);
    if (lost()) return SubmitRejected{ErrorKind::DeviceLost};
    if (auto valid = check_bindings(queue, program, bindings); !valid)
        return SubmitRejected{valid.error()};
    if (timeout_ns != 0) return SubmitRejected{ErrorKind::DeadlineExpired};
    if (queue.context.events >= info_.max_events_per_context)
        return SubmitRejected{ErrorKind::ResourceLimit};
    if (auto room = look_for_room(bindings); !room) return SubmitRejected{room.error()};
    auto event = provider::guarded([&] { return launch(queue, program, bindings); });
    if (!event) return SubmitRejected{failed(event.error()).error()};
    ++queue.context.events;
    direct_bindings_ += bindings.size();
    return provider::Accepted{std::move(*event)};
}

Result<EventState> XdnaProvider::poll_event(provider::Event& event) {
    const auto state = static_cast<EventObject&>(event).ticket->poll();
    const bool ended_well = state && state->phase != EventPhase::Failed;
    if (!ended_well) static_cast<void>(lost());  // whoever asks is told
    return state;
}

Result<void> XdnaProvider::cancel_event(provider::Event&) {
    return std::unexpected(ErrorKind::Unsupported);
}

provider::ReleaseResult<provider::Event> XdnaProvider::destroy_event(
    std::unique_ptr<provider::Event> event) {
    const auto& object = static_cast<const EventObject&>(*event);
    if (!object.ticket->ended())
        return provider::ReleaseRejected<provider::Event>{ErrorKind::Busy, std::move(event)};
    --object.context.events;
    return provider::Released{};
}

}  // namespace xdna
