// SPDX-License-Identifier: MIT
//
// Request frames as a driver builds them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linux/virtio_accel.h"
#include "wire/bytes.hpp"

namespace driver {

using Bytes = std::vector<std::byte>;

// One request: its header and fixed prefix by value, and a view of its tail, which the
// caller keeps alive. Allocates nothing.
class Request {
 public:
    template <wire::Packed T>
    Request(std::uint16_t opcode, std::uint64_t id, const T& prefix,
            std::span<const std::byte> tail = {})
        : Request(opcode, id, sizeof(T) + tail.size()) {
        static_assert(sizeof(T) <= kPrefixBytes);
        put(sizeof(virtio_accel_request_header), prefix);
        head_bytes_ += sizeof(T);
        tail_ = tail;
    }
    Request(std::uint16_t opcode, std::uint64_t id) : Request(opcode, id, std::size_t{0}) {}

    [[nodiscard]] std::uint16_t opcode() const { return opcode_; }
    [[nodiscard]] std::uint64_t id() const { return id_; }
    [[nodiscard]] std::size_t size() const { return head_bytes_ + tail_.size(); }
    // Header and prefix; the tail follows.
    [[nodiscard]] std::span<const std::byte> head() const {
        return std::span(head_).first(head_bytes_);
    }
    [[nodiscard]] std::span<const std::byte> tail() const { return tail_; }

    // `to` holds size() bytes.
    void copy_to(std::span<std::byte> to) const {
        std::ranges::copy(head(), to.begin());
        std::ranges::copy(tail(), to.subspan(head_bytes_).begin());
    }
    [[nodiscard]] Bytes bytes() const {
        Bytes all(size());
        copy_to(all);
        return all;
    }

 private:
    static constexpr std::size_t kPrefixBytes = sizeof(virtio_accel_load_program);

    Request(std::uint16_t opcode, std::uint64_t id, std::size_t payload_bytes)
        : opcode_(opcode), id_(id) {
        put(0, virtio_accel_request_header{
                   .opcode = wire::le(opcode),
                   .flags = 0,
                   .payload_bytes = wire::le(static_cast<std::uint32_t>(payload_bytes)),
                   .request_id = wire::le(id),
               });
    }

    template <wire::Packed T>
    void put(std::size_t offset, const T& value) {
        const auto raw = wire::to_bytes(value);
        std::ranges::copy(raw, std::span(head_).subspan(offset).begin());
    }

    std::uint16_t opcode_;
    std::uint64_t id_;
    std::array<std::byte, sizeof(virtio_accel_request_header) + kPrefixBytes> head_{};
    std::size_t head_bytes_ = sizeof(virtio_accel_request_header);
    std::span<const std::byte> tail_;
};

// The fifteen commands.
[[nodiscard]] inline Request get_device_info(std::uint64_t id) {
    return {VIRTIO_ACCEL_OP_GET_DEVICE_INFO, id};
}

[[nodiscard]] inline Request create_context(std::uint64_t id) {
    return {VIRTIO_ACCEL_OP_CREATE_CONTEXT, id, virtio_accel_create_context{}};
}

// The seven commands whose only operand is an object.
[[nodiscard]] inline Request on_object(std::uint16_t opcode, std::uint64_t id,
                                       std::uint64_t object) {
    return {opcode, id, virtio_accel_object{.object_id = wire::le(object)}};
}

struct BufferFields {
    std::uint64_t context = 0;
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 16;
    std::uint8_t domain = VIRTIO_ACCEL_DOMAIN_SHARED;
    std::uint32_t usage = VIRTIO_ACCEL_USAGE_MASK;
};
[[nodiscard]] inline Request allocate_buffer(std::uint64_t id, const BufferFields& fields) {
    return {VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, id,
            virtio_accel_allocate_buffer{.context_id = wire::le(fields.context),
                                         .bytes = wire::le(fields.bytes),
                                         .alignment = wire::le(fields.alignment),
                                         .memory_domain = fields.domain,
                                         .reserved0 = {},
                                         .usage = wire::le(fields.usage),
                                         .reserved1 = 0}};
}

[[nodiscard]] inline Request write_buffer(std::uint64_t id, std::uint64_t buffer,
                                          std::uint64_t offset, std::span<const std::byte> data) {
    return {VIRTIO_ACCEL_OP_WRITE_BUFFER, id,
            virtio_accel_transfer{.buffer_id = wire::le(buffer),
                                  .offset = wire::le(offset),
                                  .bytes = wire::le(std::uint64_t{data.size()})},
            data};
}

[[nodiscard]] inline Request read_buffer(std::uint64_t id, std::uint64_t buffer,
                                         std::uint64_t offset, std::uint64_t bytes) {
    return {
        VIRTIO_ACCEL_OP_READ_BUFFER, id,
        virtio_accel_transfer{
            .buffer_id = wire::le(buffer), .offset = wire::le(offset), .bytes = wire::le(bytes)}};
}

struct ProgramFields {
    std::uint64_t context = 0;
    std::uint32_t format = 0;
    std::array<std::uint32_t, VIRTIO_ACCEL_TARGET_WORDS> target{};
    std::uint64_t resident_bytes = 0;
};
[[nodiscard]] inline Request load_program(std::uint64_t id, const ProgramFields& fields,
                                          std::span<const std::byte> artifact) {
    virtio_accel_load_program raw{};
    raw.context_id = wire::le(fields.context);
    raw.format = wire::le(fields.format);
    for (std::size_t i = 0; i < fields.target.size(); ++i)
        raw.target[i] = wire::le(fields.target[i]);
    raw.payload_bytes = wire::le(std::uint64_t{artifact.size()});
    raw.resident_bytes = wire::le(fields.resident_bytes);
    return {VIRTIO_ACCEL_OP_LOAD_PROGRAM, id, raw, artifact};
}

[[nodiscard]] inline Request create_queue(std::uint64_t id, std::uint64_t context) {
    return {VIRTIO_ACCEL_OP_CREATE_QUEUE, id,
            virtio_accel_create_queue{.context_id = wire::le(context), .flags = 0, .reserved = 0}};
}

[[nodiscard]] inline virtio_accel_binding bind(std::uint64_t buffer, std::uint32_t slot,
                                               std::uint8_t access, std::uint64_t offset,
                                               std::uint64_t bytes) {
    return {.buffer_id = wire::le(buffer),
            .offset = wire::le(offset),
            .bytes = wire::le(bytes),
            .slot = wire::le(slot),
            .access = access,
            .reserved = {}};
}

[[nodiscard]] inline Request submit(std::uint64_t id, std::uint64_t queue, std::uint64_t program,
                                    std::span<const virtio_accel_binding> bindings,
                                    std::uint64_t timeout_ns = 0) {
    return {
        VIRTIO_ACCEL_OP_SUBMIT, id,
        virtio_accel_submit{.queue_id = wire::le(queue),
                            .program_id = wire::le(program),
                            .binding_count = wire::le(static_cast<std::uint32_t>(bindings.size())),
                            .flags = 0,
                            .timeout_ns = wire::le(timeout_ns)},
        std::as_bytes(bindings)};
}

}  // namespace driver
