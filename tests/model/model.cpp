// SPDX-License-Identifier: MIT
//
// The object graph: protocol.md 4.
#include "model/model.hpp"

#include "model/model_parts.hpp"

namespace model {

namespace {

// protocol.md 5.3
Status status_of(ErrorKind error) {
    switch (error) {
        case ErrorKind::Unsupported:
            return Status::Unsupported;
        case ErrorKind::Incompatible:
            return Status::Incompatible;
        case ErrorKind::InvalidArgument:
            return Status::InvalidArgument;
        case ErrorKind::OutOfBounds:
            return Status::OutOfBounds;
        case ErrorKind::Busy:
            return Status::Busy;
        case ErrorKind::OutOfMemory:
            return Status::OutOfMemory;
        case ErrorKind::ResourceLimit:
            return Status::ResourceLimit;
        case ErrorKind::DeadlineExpired:
            return Status::DeadlineExpired;
        case ErrorKind::DeviceLost:
            return Status::DeviceLost;
        case ErrorKind::PermissionDenied:
            return Status::PermissionDenied;
        case ErrorKind::External:
            break;
    }
    return Status::InternalError;
}

}  // namespace

// An artifact that no frame can carry is not advertised (10, item 3).
Model::Model(const Setup& setup) : info_(device_info(setup)) {
    info_.max_artifact_bytes =
        std::min<std::uint64_t>(info_.max_artifact_bytes, kConfig.max_request_bytes - 96);
}

// 4.4 and 4.5: the low half is a slot's number from 1, of at most 8192 generations.

Status Model::find(std::uint64_t id, Kind kind) const {
    if ((id & 0xFFFFFFFF) == 0) return Status::InvalidArgument;
    const auto found = objects_.find(id);
    const bool good = found != objects_.end() && found->second.kind == kind;
    return good ? Status::Ok : Status::StaleObject;
}

bool Model::has_slot(Kind kind) const {
    const auto slots = slots_.find(kind);
    if (slots == slots_.end() || !slots->second.free.empty()) return true;
    const auto per_context = [&]() -> std::uint64_t {
        switch (kind) {
            case Kind::Context:
                return 1;
            case Kind::Buffer:
                return info_.max_buffers_per_context;
            case Kind::Program:
                return info_.max_programs_per_context;
            case Kind::Queue:
                return info_.max_queues_per_context;
            case Kind::Event:
                return info_.max_events_per_context;
        }
        return 0;
    };
    return slots->second.generations.size() < info_.max_contexts * per_context();
}

std::uint64_t Model::insert(Object object) {
    Slots& slots = slots_[object.kind];
    if (slots.free.empty()) {
        slots.free.push_back(static_cast<std::uint32_t>(slots.generations.size()));
        slots.generations.push_back(0);
    }
    const std::uint32_t index = slots.free.back();
    slots.free.pop_back();
    const std::uint64_t id = std::uint64_t{name_space_} << 48 |
                             std::uint64_t{slots.generations[index]} << 35 |
                             static_cast<std::uint64_t>(object.kind) << 32 | (index + 1);
    objects_.emplace(id, std::move(object));
    return id;
}

void Model::erase(std::uint64_t id) {
    Slots& slots = slots_[objects_.at(id).kind];
    const auto index = static_cast<std::uint32_t>(id) - 1;
    if (slots.generations[index] < 8191) {
        ++slots.generations[index];
        slots.free.push_back(index);
    }
    objects_.erase(id);
}

std::uint64_t Model::count(Kind kind, std::uint64_t context) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(objects_, [&](const auto& entry) {
        return entry.second.kind == kind && entry.second.context == context;
    }));
}

std::uint64_t Model::charge(Kind kind) const {
    std::uint64_t sum = 0;
    for (const auto& [id, object] : objects_)
        if (object.kind == kind) sum += object.charge;
    return sum;
}

// 4.2: as a context with children, or by an undestroyed event.
bool Model::pinned(std::uint64_t id) const {
    return std::ranges::any_of(objects_, [id](const auto& entry) {
        const Object& object = entry.second;
        return object.context == id || object.queue == id || object.program == id ||
               std::ranges::contains(object.uses, id, &Use::buffer);
    });
}

engine::Counts Model::live() const {
    engine::Counts counts;
    for (const auto& [id, object] : objects_) {
        counts.contexts += object.kind == Kind::Context;
        counts.buffers += object.kind == Kind::Buffer;
        counts.programs += object.kind == Kind::Program;
        counts.queues += object.kind == Kind::Queue;
        counts.events += object.kind == Kind::Event;
    }
    counts.buffer_bytes = charge(Kind::Buffer);
    counts.program_bytes = charge(Kind::Program);
    return counts;
}

Model::Injected Model::call(Op op, std::vector<std::uint64_t> arguments) {
    return script_->call(op, std::move(arguments));
}

Status Model::fail(ErrorKind error) {
    if (error == ErrorKind::DeviceLost) discard();
    return status_of(error);
}

Status Model::discard() {
    health_ = Health::DiscardRequired;
    return Status::DeviceLost;
}

void Model::quarantine(const Object& object) {
    quarantined_.contexts += object.kind == Kind::Context;
    quarantined_.programs += object.kind == Kind::Program;
    quarantined_.queues += object.kind == Kind::Queue;
    quarantined_.events += object.kind == Kind::Event;
    quarantined_.buffers += object.kind == Kind::Buffer;
    (object.kind == Kind::Program ? quarantined_.program_bytes : quarantined_.buffer_bytes) +=
        object.charge;
}

Model::Result Model::perform(const Payload& p, const Command& command, Answer& answer) {
    switch (p.opcode) {
        case 0x0001:
            return describe();
        case 0x0100:
            return create_context();
        case 0x0101:
            return destroy(Kind::Context, Op::DestroyContext, p.u64(0));
        case 0x0200:
            return allocate(p);
        case 0x0201:
            return destroy(Kind::Buffer, Op::FreeBuffer, p.u64(0));
        case 0x0202:
            return transfer(p, true, answer);
        case 0x0203:
            return transfer(p, false, answer);
        case 0x0300:
            return load(p);
        case 0x0301:
            return destroy(Kind::Program, Op::UnloadProgram, p.u64(0));
        case 0x0400:
            return create_queue(p);
        case 0x0401:
            return destroy(Kind::Queue, Op::DestroyQueue, p.u64(0));
        case 0x0500:
            return submit(command);
        case 0x0501:
            return poll(p.u64(0));
        case 0x0502:
            return cancel(p.u64(0));
        default:
            return destroy(Kind::Event, Op::DestroyEvent, p.u64(0));
    }
}

// 4.6, in the order of its paragraphs.

Model::Result Model::describe() const {
    Bytes bytes;
    const auto append = [&bytes](std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i)
            bytes.push_back(static_cast<std::byte>(value >> 8 * i));
    };
    for (const std::uint8_t byte : info_.uuid)
        append(byte, 1);
    append(static_cast<std::uint16_t>(info_.device_class), 2);
    append(0, 2);
    for (const std::uint32_t id : {info_.vendor_id, info_.device_id})
        append(id, 4);
    append(info_.capabilities, 8);
    for (const std::uint32_t limit :
         {info_.max_contexts, info_.max_buffers_per_context, info_.max_programs_per_context,
          info_.max_queues_per_context, info_.max_events_per_context,
          info_.max_bindings_per_submission})
        append(limit, 4);
    append(info_.max_buffer_bytes, 8);
    append(info_.max_artifact_bytes, 8);
    Result result(Status::Ok);
    result.payload = std::move(bytes);
    return result;
}

Model::Result Model::create_context() {
    if (live().contexts >= info_.max_contexts) return Status::ResourceLimit;
    if (!has_slot(Kind::Context)) return Status::ResourceLimit;
    if (const auto injected = call(Op::CreateContext, {0})) return fail(injected->error);
    return Result::number(insert({.kind = Kind::Context, .serial = ++last_serial_}));
}

Model::Result Model::allocate(const Payload& p) {
    const std::uint64_t context = p.u64(0);
    const std::uint64_t bytes = p.u64(8);
    if (charge(Kind::Buffer) + bytes > kPolicy.max_buffer_bytes) return Status::ResourceLimit;
    if (const Status status = find(context, Kind::Context); status != Status::Ok) return status;
    if (count(Kind::Buffer, context) >= info_.max_buffers_per_context) return Status::ResourceLimit;
    if (!has_slot(Kind::Buffer)) return Status::ResourceLimit;

    const auto injected = call(Op::AllocateBuffer, {objects_.at(context).serial, bytes, p.u64(16),
                                                    p.load(24, 1), p.u32(32)});
    if (injected && injected->action == Action::Error) return fail(injected->error);
    Object buffer{.kind = Kind::Buffer,
                  .context = context,
                  .serial = ++last_serial_,
                  .charge = bytes,
                  .usage = p.u32(32),
                  .contents = Bytes(bytes)};
    if (injected && injected->action == Action::Lie)
        return cleanup(std::move(buffer), Status::Incompatible);
    if (injected && injected->action == Action::Pad) buffer.charge += kPadding;
    if (charge(Kind::Buffer) + buffer.charge > kPolicy.max_buffer_bytes)
        return cleanup(std::move(buffer), Status::ResourceLimit);
    return Result::number(insert(std::move(buffer)));
}

Status Model::cleanup(Object buffer, Status refusal) {
    const auto injected = call(Op::FreeBuffer, {buffer.serial});
    if (!injected) return refusal;
    if (injected->action == Action::Unknown) {
        quarantine(buffer);
    } else {
        insert(std::move(buffer));
    }
    return discard();
}

Model::Result Model::transfer(const Payload& p, bool write, Answer& answer) {
    const std::uint64_t id = p.u64(0);
    const std::uint64_t offset = p.u64(8);
    const std::uint64_t bytes = p.u64(16);
    if (const Status status = find(id, Kind::Buffer); status != Status::Ok) return status;
    if (pinned(id)) return Status::Busy;
    Object& buffer = objects_.at(id);
    if (offset + bytes > buffer.contents.size()) return Status::OutOfBounds;
    if ((buffer.usage & (write ? 2U : 1U)) == 0) return Status::PermissionDenied;

    const auto injected =
        call(write ? Op::WriteBuffer : Op::ReadBuffer, {buffer.serial, offset, bytes});
    const std::uint64_t moved = injected ? bytes / 2 : bytes;  // as the puppet does it
    const auto range = std::span(buffer.contents).subspan(offset, moved);
    if (write) std::ranges::copy(p.bytes.subspan(24, moved), range.begin());
    if (injected) {
        if (!write) answer.dirty = bytes;
        return fail(injected->error);
    }
    Result result(Status::Ok);
    if (!write) result.payload.assign(range.begin(), range.end());
    return result;
}

Model::Result Model::load(const Payload& p) {
    const std::uint64_t context = p.u64(0);
    const std::uint64_t resident = p.u64(72);
    if (resident > kPolicy.max_program_bytes ||
        charge(Kind::Program) + resident > kPolicy.max_program_bytes)
        return Status::ResourceLimit;
    if (const Status status = find(context, Kind::Context); status != Status::Ok) return status;
    if (count(Kind::Program, context) >= info_.max_programs_per_context)
        return Status::ResourceLimit;
    if (!has_slot(Kind::Program)) return Status::ResourceLimit;

    const auto artifact = p.bytes.subspan(80);
    std::vector<std::uint64_t> arguments{objects_.at(context).serial, p.u32(8), artifact.size(),
                                         resident};
    for (std::size_t at = 16; at < 64; at += 4)
        arguments.push_back(p.u32(at));
    if (const auto injected = call(Op::LoadProgram, std::move(arguments)))
        return fail(injected->error);
    Object program{
        .kind = Kind::Program, .context = context, .serial = ++last_serial_, .charge = resident};
    for (const std::byte byte : artifact)
        program.operand ^= byte;
    return Result::number(insert(std::move(program)));
}

Model::Result Model::create_queue(const Payload& p) {
    const std::uint64_t context = p.u64(0);
    if (const Status status = find(context, Kind::Context); status != Status::Ok) return status;
    if (count(Kind::Queue, context) >= info_.max_queues_per_context) return Status::ResourceLimit;
    if (!has_slot(Kind::Queue)) return Status::ResourceLimit;
    if (const auto injected = call(Op::CreateQueue, {objects_.at(context).serial, 0}))
        return fail(injected->error);
    return Result::number(
        insert({.kind = Kind::Queue, .context = context, .serial = ++last_serial_}));
}

Model::Result Model::destroy(Kind kind, Op op, std::uint64_t id) {
    if (const Status status = find(id, kind); status != Status::Ok) return status;
    if (pinned(id)) return Status::Busy;
    Object& object = objects_.at(id);
    if (kind == Kind::Event) {
        const auto polled = call(Op::PollEvent, {object.serial});
        if (polled && polled->action == Action::Error) return fail(polled->error);
        settle(object, polled);
        if (object.phase == Phase::Pending) return Status::Busy;
        if (object.phase == Phase::Failed && object.error == ErrorKind::DeviceLost)
            return discard();
    }
    const auto injected = call(op, {object.serial});
    if (injected && injected->action == Action::Error) return fail(injected->error);
    if (injected) quarantine(object);
    erase(id);
    return injected ? discard() : Status::Ok;
}

}  // namespace model
