// SPDX-License-Identifier: MIT
//
// Requests: from the bytes of a frame to a checked value, or to the status that
// refuses them. Decoding reads the header, the fixed prefix and the bindings, each
// once; write data and artifacts are left where they are.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <variant>

#include "linux/virtio_accel.h"
#include "wire/frame.hpp"
#include "wire/status.hpp"

namespace wire {

inline constexpr std::uint64_t kHeaderBytes = sizeof(virtio_accel_request_header);
static_assert(kHeaderBytes == 16);
static_assert(sizeof(virtio_accel_response_header) == kHeaderBytes);

struct RequestHeader {
    std::uint16_t opcode = 0;
    std::uint16_t flags = 0;
    std::uint32_t payload_bytes = 0;
    std::uint64_t request_id = 0;
};

[[nodiscard]] RequestHeader decode_header(Reader& frame);

// Steps 6 to 9 of protocol.md 3.2. The frame holds at least a header.
[[nodiscard]] Status check_header(const RequestHeader& header, std::uint64_t frame_bytes,
                                  std::uint32_t max_request_bytes);

// Commands. Ids are nonzero, flags and reserved fields were zero, sizes are nonzero
// and no range overflows. Domain, usage and access are legal values.
struct GetDeviceInfo {};
struct CreateContext {};
struct AllocateBuffer {
    std::uint64_t context = 0;
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 0;
    std::uint8_t domain = 0;
    std::uint32_t usage = 0;
};
struct Transfer {
    std::uint64_t buffer = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};
struct WriteBuffer : Transfer {
    static constexpr std::uint64_t kDataOffset = kHeaderBytes + sizeof(virtio_accel_transfer);
};
struct ReadBuffer : Transfer {};
struct LoadProgram {
    static constexpr std::uint64_t kDataOffset = kHeaderBytes + sizeof(virtio_accel_load_program);
    std::uint64_t context = 0;
    std::uint32_t format = 0;
    std::array<std::uint32_t, VIRTIO_ACCEL_TARGET_WORDS> target{};
    std::uint64_t artifact_bytes = 0;
    std::uint64_t resident_bytes = 0;
};
struct CreateQueue {
    std::uint64_t context = 0;
};
struct Binding {
    std::uint64_t buffer = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t slot = 0;
    std::uint8_t access = 0;
};
struct Submit {
    std::uint64_t queue = 0;
    std::uint64_t program = 0;
    std::uint64_t timeout_ns = 0;
    std::span<const Binding> bindings;  // ascending, distinct slots
};

// A command whose only operand is an object.
template <std::uint16_t Opcode>
struct OnObject {
    std::uint64_t object = 0;
};
using DestroyContext = OnObject<VIRTIO_ACCEL_OP_DESTROY_CONTEXT>;
using FreeBuffer = OnObject<VIRTIO_ACCEL_OP_FREE_BUFFER>;
using UnloadProgram = OnObject<VIRTIO_ACCEL_OP_UNLOAD_PROGRAM>;
using DestroyQueue = OnObject<VIRTIO_ACCEL_OP_DESTROY_QUEUE>;
using PollEvent = OnObject<VIRTIO_ACCEL_OP_POLL_EVENT>;
using CancelEvent = OnObject<VIRTIO_ACCEL_OP_CANCEL_EVENT>;
using DestroyEvent = OnObject<VIRTIO_ACCEL_OP_DESTROY_EVENT>;

using Command =
    std::variant<GetDeviceInfo, CreateContext, DestroyContext, AllocateBuffer, FreeBuffer,
                 WriteBuffer, ReadBuffer, LoadProgram, UnloadProgram, CreateQueue, DestroyQueue,
                 Submit, PollEvent, CancelEvent, DestroyEvent>;

// The static limits that decoding enforces; live quotas are the engine's.
struct DecodeLimits {
    std::uint64_t capabilities = 0;
    std::uint64_t max_buffer_bytes = 0;
    std::uint64_t max_artifact_bytes = 0;
    std::uint32_t max_bindings = 0;  // 1..4096
};

// Steps 10 and 11 of protocol.md 3.2, in the order of 3.3. `bindings` has room for
// limits.max_bindings; a Submit refers to it.
[[nodiscard]] std::expected<Command, Status> decode(const RequestHeader& header, Reader& frame,
                                                    const DecodeLimits& limits,
                                                    std::span<Binding> bindings);

// Bytes of the largest response that `command` can have: what the writable side
// must hold before the command may take effect.
[[nodiscard]] std::uint64_t response_capacity(const Command& command);

}  // namespace wire
