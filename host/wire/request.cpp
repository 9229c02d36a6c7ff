// SPDX-License-Identifier: MIT
#include "wire/request.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace wire {

namespace {

using Decoded = std::expected<Command, Status>;

constexpr auto kInvalid = std::unexpected(Status::InvalidArgument);
constexpr auto kUnsupported = std::unexpected(Status::Unsupported);
constexpr auto kLimit = std::unexpected(Status::ResourceLimit);

constexpr bool sum_overflows(std::uint64_t a, std::uint64_t b) {
    return a > std::numeric_limits<std::uint64_t>::max() - b;
}

bool nonzero(std::span<const __u8> reserved) {
    return std::ranges::any_of(reserved, [](__u8 byte) { return byte != 0; });
}

constexpr std::uint64_t capability_of_domain(std::uint8_t domain) {
    switch (domain) {
        case VIRTIO_ACCEL_DOMAIN_HOST:
            return VIRTIO_ACCEL_CAP_HOST_VISIBLE_MEMORY;
        case VIRTIO_ACCEL_DOMAIN_DEVICE:
            return VIRTIO_ACCEL_CAP_DEVICE_LOCAL_MEMORY;
        default:
            return VIRTIO_ACCEL_CAP_SHARED_MEMORY;
    }
}

// What every decoder gets: the length that the header declares, which the frame was
// found to have, and the frame.
struct Payload {
    std::uint64_t bytes;
    Reader& frame;

    template <Packed T>
    [[nodiscard]] T prefix() const {
        return frame.load<T>(kHeaderBytes);
    }
};

template <class C>
Decoded on_object(const Payload& payload) {
    if (payload.bytes != sizeof(virtio_accel_object)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_object>();
    const std::uint64_t id = le(raw.object_id);
    if (id == 0) return kInvalid;
    return C{id};
}

Decoded get_device_info(const Payload& payload) {
    if (payload.bytes != 0) return kInvalid;
    return GetDeviceInfo{};
}

Decoded create_context(const Payload& payload) {
    if (payload.bytes != sizeof(virtio_accel_create_context)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_create_context>();
    if (raw.flags != 0) return kUnsupported;
    if (raw.reserved != 0) return kInvalid;
    return CreateContext{};
}

Decoded allocate_buffer(const Payload& payload, const DecodeLimits& limits) {
    if (payload.bytes != sizeof(virtio_accel_allocate_buffer)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_allocate_buffer>();
    const AllocateBuffer command{
        .context = le(raw.context_id),
        .bytes = le(raw.bytes),
        .alignment = le(raw.alignment),
        .domain = raw.memory_domain,
        .usage = le(raw.usage),
    };
    if (command.context == 0) return kInvalid;
    if (nonzero(raw.reserved0) || raw.reserved1 != 0) return kInvalid;
    if (command.domain < VIRTIO_ACCEL_DOMAIN_HOST || command.domain > VIRTIO_ACCEL_DOMAIN_SHARED)
        return kInvalid;
    if ((command.usage & ~std::uint32_t{VIRTIO_ACCEL_USAGE_MASK}) != 0) return kUnsupported;
    if (command.usage == 0) return kInvalid;
    if (command.bytes == 0 || !std::has_single_bit(command.alignment)) return kInvalid;
    if (command.bytes > limits.max_buffer_bytes) return kLimit;
    if ((limits.capabilities & capability_of_domain(command.domain)) == 0) return kUnsupported;
    return command;
}

std::expected<Transfer, Status> transfer(const Payload& payload) {
    if (payload.bytes < sizeof(virtio_accel_transfer)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_transfer>();
    const Transfer command{
        .buffer = le(raw.buffer_id), .offset = le(raw.offset), .bytes = le(raw.bytes)};
    if (command.bytes == 0 || sum_overflows(command.offset, command.bytes)) return kInvalid;
    return command;
}

Decoded write_buffer(const Payload& payload) {
    const auto command = transfer(payload);
    if (!command) return std::unexpected(command.error());
    if (sum_overflows(sizeof(virtio_accel_transfer), command->bytes)) return kLimit;
    if (payload.bytes != sizeof(virtio_accel_transfer) + command->bytes) return kInvalid;
    if (command->buffer == 0) return kInvalid;
    return WriteBuffer{*command};
}

Decoded read_buffer(const Payload& payload) {
    const auto command = transfer(payload);
    if (!command) return std::unexpected(command.error());
    if (payload.bytes != sizeof(virtio_accel_transfer)) return kInvalid;
    if (command->buffer == 0) return kInvalid;
    if (sum_overflows(kHeaderBytes, command->bytes)) return kLimit;
    return ReadBuffer{*command};
}

Decoded load_program(const Payload& payload, const DecodeLimits& limits) {
    if (payload.bytes < sizeof(virtio_accel_load_program)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_load_program>();
    LoadProgram command{
        .context = le(raw.context_id),
        .format = le(raw.format),
        .target = {},
        .artifact_bytes = le(raw.payload_bytes),
        .resident_bytes = le(raw.resident_bytes),
    };
    for (std::size_t i = 0; i < command.target.size(); ++i)
        command.target[i] = le(raw.target[i]);
    if (raw.flags != 0) return kUnsupported;
    if (command.context == 0 || command.format == 0) return kInvalid;
    if (command.artifact_bytes == 0 || command.resident_bytes == 0) return kInvalid;
    if (sum_overflows(sizeof raw, command.artifact_bytes)) return kLimit;
    if (payload.bytes != sizeof raw + command.artifact_bytes) return kInvalid;
    if (command.artifact_bytes > limits.max_artifact_bytes) return kLimit;
    return command;
}

Decoded create_queue(const Payload& payload) {
    if (payload.bytes != sizeof(virtio_accel_create_queue)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_create_queue>();
    if (raw.flags != 0) return kUnsupported;
    if (raw.reserved != 0) return kInvalid;
    if (raw.context_id == 0) return kInvalid;
    return CreateQueue{le(raw.context_id)};
}

std::expected<Binding, Status> binding(Reader& frame, std::uint64_t offset) {
    const auto raw = frame.load<virtio_accel_binding>(offset);
    const Binding bound{
        .buffer = le(raw.buffer_id),
        .offset = le(raw.offset),
        .bytes = le(raw.bytes),
        .slot = le(raw.slot),
        .access = raw.access,
    };
    if (nonzero(raw.reserved)) return kInvalid;
    if (bound.bytes == 0 || sum_overflows(bound.offset, bound.bytes)) return kInvalid;
    if (bound.access < VIRTIO_ACCEL_ACCESS_READ || bound.access > VIRTIO_ACCEL_ACCESS_READ_WRITE)
        return kInvalid;
    if (bound.buffer == 0) return kInvalid;
    return bound;
}

Decoded submit(const Payload& payload, const DecodeLimits& limits, std::span<Binding> bindings) {
    if (payload.bytes < sizeof(virtio_accel_submit)) return kInvalid;
    const auto raw = payload.prefix<virtio_accel_submit>();
    const std::uint32_t count = le(raw.binding_count);
    if (raw.flags != 0) return kUnsupported;
    if (count == 0) return kInvalid;
    if (count > limits.max_bindings || count > bindings.size()) return kLimit;
    if (payload.bytes != sizeof raw + std::uint64_t{count} * sizeof(virtio_accel_binding))
        return kInvalid;

    bindings = bindings.first(count);
    std::uint64_t offset = kHeaderBytes + sizeof raw;
    for (Binding& bound : bindings) {
        auto decoded = binding(payload.frame, offset);
        if (!decoded) return std::unexpected(decoded.error());
        bound = *decoded;
        offset += sizeof(virtio_accel_binding);
    }
    // Everything later runs in slot order: the wire order means nothing. Drivers tend to
    // sort, so that one look is enough.
    const auto ascending = [bindings] {
        return std::ranges::adjacent_find(bindings, std::ranges::greater_equal(), &Binding::slot) ==
               bindings.end();
    };
    if (!ascending()) {
        std::ranges::sort(bindings, {}, &Binding::slot);
        if (!ascending()) return kInvalid;
    }

    const Submit command{.queue = le(raw.queue_id),
                         .program = le(raw.program_id),
                         .timeout_ns = le(raw.timeout_ns),
                         .bindings = bindings};
    if (command.queue == 0 || command.program == 0) return kInvalid;
    return command;
}

}  // namespace

RequestHeader decode_header(Reader& frame) {
    const auto raw = frame.load<virtio_accel_request_header>(0);
    return {
        .opcode = le(raw.opcode),
        .flags = le(raw.flags),
        .payload_bytes = le(raw.payload_bytes),
        .request_id = le(raw.request_id),
    };
}

Status check_header(const RequestHeader& header, std::uint64_t frame_bytes,
                    std::uint32_t max_request_bytes) {
    if (frame_bytes > max_request_bytes) return Status::ResourceLimit;
    if (frame_bytes != kHeaderBytes + header.payload_bytes) return Status::InvalidArgument;
    if (header.request_id == 0) return Status::InvalidArgument;
    if (header.flags != 0) return Status::Unsupported;
    return Status::Ok;
}

std::expected<Command, Status> decode(const RequestHeader& header, Reader& frame,
                                      const DecodeLimits& limits, std::span<Binding> bindings) {
    const Payload payload{header.payload_bytes, frame};
    switch (header.opcode) {
        case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
            return get_device_info(payload);
        case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
            return create_context(payload);
        case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
            return on_object<DestroyContext>(payload);
        case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
            return allocate_buffer(payload, limits);
        case VIRTIO_ACCEL_OP_FREE_BUFFER:
            return on_object<FreeBuffer>(payload);
        case VIRTIO_ACCEL_OP_WRITE_BUFFER:
            return write_buffer(payload);
        case VIRTIO_ACCEL_OP_READ_BUFFER:
            return read_buffer(payload);
        case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
            return load_program(payload, limits);
        case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
            return on_object<UnloadProgram>(payload);
        case VIRTIO_ACCEL_OP_CREATE_QUEUE:
            return create_queue(payload);
        case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
            return on_object<DestroyQueue>(payload);
        case VIRTIO_ACCEL_OP_SUBMIT:
            return submit(payload, limits, bindings);
        case VIRTIO_ACCEL_OP_POLL_EVENT:
            return on_object<PollEvent>(payload);
        case VIRTIO_ACCEL_OP_CANCEL_EVENT:
            return on_object<CancelEvent>(payload);
        case VIRTIO_ACCEL_OP_DESTROY_EVENT:
            return on_object<DestroyEvent>(payload);
        default:
            return kUnsupported;
    }
}

namespace {

// The OK payload of each command, for response_capacity().
struct OkPayload {
    template <std::uint16_t Opcode>
    std::uint64_t operator()(const OnObject<Opcode>&) const {
        return Opcode == VIRTIO_ACCEL_OP_POLL_EVENT ? sizeof(virtio_accel_event_state) : 0;
    }
    std::uint64_t operator()(const GetDeviceInfo&) const {
        return sizeof(virtio_accel_device_info);
    }
    std::uint64_t operator()(const WriteBuffer&) const { return 0; }
    std::uint64_t operator()(const ReadBuffer& read) const { return read.bytes; }
    // The create commands and SUBMIT answer with an id.
    std::uint64_t operator()(const auto&) const { return sizeof(virtio_accel_object); }
};

}  // namespace

std::uint64_t response_capacity(const Command& command) {
    return kHeaderBytes + std::visit(OkPayload{}, command);
}

}  // namespace wire
