// SPDX-License-Identifier: MIT
//
// Submissions and what becomes of them: protocol.md 4.6.
#include "model/model_parts.hpp"

namespace model {

namespace {

// protocol.md 1.7: the usages of which a binding's access needs one.
constexpr std::uint32_t needed_usage(std::uint8_t access) {
    constexpr std::array<std::uint32_t, 4> kNeeded{0, 0x04 | 0x10, 0x08 | 0x10, 0x10};
    return kNeeded[access];
}

}  // namespace

Model::Result Model::submit(const Command& command) {
    if (const Status s = find(command.queue, Kind::Queue); s != Status::Ok) return s;
    if (const Status s = find(command.program, Kind::Program); s != Status::Ok) return s;
    const Object& queue = objects_.at(command.queue);
    const Object& program = objects_.at(command.program);
    if (program.context != queue.context) return Status::StaleObject;
    for (const Use& use : command.uses) {
        if (const Status s = find(use.buffer, Kind::Buffer); s != Status::Ok) return s;
        if (objects_.at(use.buffer).context != queue.context) return Status::StaleObject;
    }
    if (count(Kind::Event, queue.context) >= info_.max_events_per_context)
        return Status::ResourceLimit;
    if (!has_slot(Kind::Event)) return Status::ResourceLimit;

    std::vector<std::uint64_t> arguments{queue.serial, program.serial, command.timeout};
    for (const Use& use : command.uses) {
        const Object& buffer = objects_.at(use.buffer);
        if (use.offset + use.bytes > buffer.contents.size()) return Status::OutOfBounds;
        if ((buffer.usage & needed_usage(use.access)) == 0) return Status::PermissionDenied;
        arguments.insert(arguments.end(),
                         {buffer.serial, use.offset, use.bytes, use.slot, use.access});
    }
    const auto injected = call(Op::Submit, std::move(arguments));
    if (injected && injected->action == Action::Error) return fail(injected->error);
    const std::uint64_t id = insert({.kind = Kind::Event,
                                     .context = queue.context,
                                     .serial = ++last_serial_,
                                     .queue = command.queue,
                                     .program = command.program,
                                     .uses = command.uses});
    return Result::number(id, injected ? fail(injected->error) : Status::Ok);
}

Model::Result Model::poll(std::uint64_t id) {
    if (const Status status = find(id, Kind::Event); status != Status::Ok) return status;
    Object& event = objects_.at(id);
    const auto injected = call(Op::PollEvent, {event.serial});
    if (injected && injected->action == Action::Error) return fail(injected->error);
    settle(event, injected);
    const bool failed = event.phase == Phase::Failed;
    const Status error = failed ? fail(event.error) : Status::Ok;
    return Result::number(static_cast<std::uint64_t>(event.phase) |
                          static_cast<std::uint64_t>(error) << 16);
}

// What the provider finds out when it looks at an event.
void Model::settle(Object& event, const Injected& injected) {
    if (!injected || event.phase != Phase::Pending) return;
    event.phase = injected->action == Action::Complete ? Phase::Complete : Phase::Failed;
    event.error = injected->error;
    if (event.phase != Phase::Complete) return;
    for (const Use& use : event.uses) {
        if (use.access == 1) continue;
        auto& contents = objects_.at(use.buffer).contents;
        run(objects_.at(event.program).operand, use.access,
            std::span(contents).subspan(use.offset, use.bytes));
    }
}

Model::Result Model::cancel(std::uint64_t id) {
    if ((info_.capabilities & 0x04) == 0) return Status::Unsupported;
    if (const Status status = find(id, Kind::Event); status != Status::Ok) return status;
    Object& event = objects_.at(id);
    if (const auto injected = call(Op::CancelEvent, {event.serial})) return fail(injected->error);
    if (event.phase != Phase::Pending) return Status::Busy;
    event.phase = Phase::Cancelled;
    return Status::Ok;
}

}  // namespace model
