// SPDX-License-Identifier: MIT
//
// An engine over the mock provider, and a driver that speaks whole frames to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "linux/virtio_accel.h"
#include "provider/mock/artifact.hpp"
#include "provider/mock/mock.hpp"
#include "wire/bytes.hpp"
#include "wire/status.hpp"

namespace rig {

using Bytes = std::vector<std::byte>;
inline constexpr std::byte kSentinel{0xA5};

inline void append(Bytes& to, std::span<const std::byte> from) {
    to.insert(to.end(), from.begin(), from.end());
}

// A request frame: header, packed payload, tail.
template <class T>
Bytes frame(std::uint16_t opcode, std::uint64_t request_id, const T& payload,
            std::span<const std::byte> tail = {}) {
    Bytes bytes;
    append(bytes, wire::to_bytes(virtio_accel_request_header{
                      .opcode = opcode,
                      .flags = 0,
                      .payload_bytes = static_cast<__le32>(sizeof(T) + tail.size()),
                      .request_id = request_id,
                  }));
    append(bytes, wire::to_bytes(payload));
    append(bytes, tail);
    return bytes;
}

inline Bytes frame(std::uint16_t opcode, std::uint64_t request_id) {
    const auto header = wire::to_bytes(virtio_accel_request_header{
        .opcode = opcode, .flags = 0, .payload_bytes = 0, .request_id = request_id});
    return {header.begin(), header.end()};
}

struct Answer {
    std::uint32_t used = 0;
    Bytes written;  // the whole writable side, sentinel included

    [[nodiscard]] wire::Status status() const {
        return static_cast<wire::Status>(load<std::uint16_t>(0));
    }
    [[nodiscard]] std::uint64_t request_id() const { return load<std::uint64_t>(8); }
    [[nodiscard]] std::uint64_t id() const { return load<std::uint64_t>(16); }
    [[nodiscard]] std::span<const std::byte> payload() const {
        return std::span(written).first(used).subspan(16);
    }
    // Nothing beyond the used length was touched.
    [[nodiscard]] bool rest_untouched() const {
        for (std::size_t i = used; i < written.size(); ++i)
            if (written[i] != kSentinel) return false;
        return true;
    }

    template <class T>
    [[nodiscard]] T load(std::size_t offset) const {
        T value;
        std::memcpy(&value, written.data() + offset, sizeof value);
        return wire::le(value);
    }
};

inline constexpr std::uint32_t kAllUsage = VIRTIO_ACCEL_USAGE_MASK;

class Rig {
 public:
    explicit Rig(std::unique_ptr<provider::Provider> native = nullptr,
                 const engine::Policy& policy = {}, const wire::Config& config = {})
        : engine(*engine::Engine::create(
              config, native ? std::move(native) : std::make_unique<mock::Provider>(), policy)) {}

    // Both sides in pieces of `piece` bytes.
    Answer send(const Bytes& request, std::size_t capacity = 4096, std::size_t piece = 1 << 20) {
        Answer answer{0, Bytes(capacity, kSentinel)};
        std::vector<std::span<const std::byte>> readable;
        for (std::size_t at = 0; at < request.size(); at += piece)
            readable.push_back(
                std::span(request).subspan(at).first(std::min(piece, request.size() - at)));
        std::vector<std::span<std::byte>> writable;
        for (std::size_t at = 0; at < capacity; at += piece)
            writable.push_back(
                std::span(answer.written).subspan(at).first(std::min(piece, capacity - at)));
        answer.used = engine.process({readable, writable});
        return answer;
    }

    template <class T>
    Answer call(std::uint16_t opcode, const T& payload, std::span<const std::byte> tail = {}) {
        return send(frame(opcode, ++next_request_, payload, tail));
    }
    Answer on_object(std::uint16_t opcode, std::uint64_t id) {
        return call(opcode, virtio_accel_object{.object_id = id});
    }

    std::uint64_t context() {
        return call(VIRTIO_ACCEL_OP_CREATE_CONTEXT, virtio_accel_create_context{}).id();
    }
    std::uint64_t queue(std::uint64_t context) {
        return call(VIRTIO_ACCEL_OP_CREATE_QUEUE, virtio_accel_create_queue{context, 0, 0}).id();
    }
    Answer allocate(std::uint64_t context, std::uint64_t bytes, std::uint32_t usage = kAllUsage) {
        return call(VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
                    virtio_accel_allocate_buffer{.context_id = context,
                                                 .bytes = bytes,
                                                 .alignment = 16,
                                                 .memory_domain = VIRTIO_ACCEL_DOMAIN_SHARED,
                                                 .reserved0 = {},
                                                 .usage = usage,
                                                 .reserved1 = 0});
    }
    std::uint64_t buffer(std::uint64_t context, std::uint64_t bytes,
                         std::uint32_t usage = kAllUsage) {
        return allocate(context, bytes, usage).id();
    }
    Answer load(std::uint64_t context, const mock::Artifact& artifact) {
        const auto bytes = mock::encode(artifact);
        virtio_accel_load_program raw{};
        raw.context_id = context;
        raw.format = mock::kFormat;
        for (std::size_t i = 0; i < mock::kTarget.size(); ++i)
            raw.target[i] = mock::kTarget[i];
        raw.payload_bytes = bytes.size();
        raw.resident_bytes = mock::kResidentBytes;
        return call(VIRTIO_ACCEL_OP_LOAD_PROGRAM, raw, bytes);
    }
    std::uint64_t program(std::uint64_t context, const mock::Artifact& artifact) {
        return load(context, artifact).id();
    }
    Answer submit(std::uint64_t queue, std::uint64_t program,
                  std::span<const virtio_accel_binding> bindings, std::uint64_t timeout_ns = 0) {
        return call(VIRTIO_ACCEL_OP_SUBMIT,
                    virtio_accel_submit{
                        .queue_id = queue,
                        .program_id = program,
                        .binding_count = static_cast<__le32>(bindings.size()),
                        .flags = 0,
                        .timeout_ns = timeout_ns,
                    },
                    std::as_bytes(bindings));
    }
    Answer write(std::uint64_t buffer, std::uint64_t offset, std::span<const std::byte> data) {
        return call(VIRTIO_ACCEL_OP_WRITE_BUFFER,
                    virtio_accel_transfer{buffer, offset, data.size()}, data);
    }
    Answer read(std::uint64_t buffer, std::uint64_t offset, std::uint64_t bytes) {
        return call(VIRTIO_ACCEL_OP_READ_BUFFER, virtio_accel_transfer{buffer, offset, bytes});
    }

    engine::Engine engine;

 private:
    std::uint64_t next_request_ = 0;
};

inline virtio_accel_binding bind(std::uint64_t buffer, std::uint32_t slot, std::uint8_t access,
                                 std::uint64_t offset, std::uint64_t bytes) {
    return {.buffer_id = buffer,
            .offset = offset,
            .bytes = bytes,
            .slot = slot,
            .access = access,
            .reserved = {}};
}

// One object of each kind and a pending event over all of them.
struct Busy {
    explicit Busy(Rig& rig)
        : context(rig.context()),
          buffer(rig.buffer(context, 64)),
          program(rig.program(
              context,
              {.operation = mock::Operation::Xor, .first_slot = 0, .operand = std::byte{0x5A}})),
          queue(rig.queue(context)) {
        const auto binding = bind(buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        event = rig.submit(queue, program, std::span(&binding, 1)).id();
    }
    std::uint64_t context;
    std::uint64_t buffer;
    std::uint64_t program;
    std::uint64_t queue;
    std::uint64_t event = 0;
};

}  // namespace rig
