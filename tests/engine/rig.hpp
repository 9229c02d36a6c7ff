// SPDX-License-Identifier: MIT
//
// An engine over the mock provider, and a driver that speaks whole frames to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "driver/answer.hpp"
#include "driver/frames.hpp"
#include "engine/engine.hpp"
#include "linux/virtio_accel.h"
#include "provider/mock/artifact.hpp"
#include "provider/mock/mock.hpp"
#include "wire/bytes.hpp"
#include "wire/status.hpp"

namespace rig {

using driver::Answer;
using driver::bind;
using driver::Bytes;
using driver::kSentinel;

inline void append(Bytes& to, std::span<const std::byte> from) {
    to.insert(to.end(), from.begin(), from.end());
}

// A request frame: header, packed payload, tail.
template <class T>
Bytes frame(std::uint16_t opcode, std::uint64_t request_id, const T& payload,
            std::span<const std::byte> tail = {}) {
    return driver::Request(opcode, request_id, payload, tail).bytes();
}

inline Bytes frame(std::uint16_t opcode, std::uint64_t request_id) {
    return driver::Request(opcode, request_id).bytes();
}

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
    Answer call(const driver::Request& request) { return send(request.bytes()); }
    Answer on_object(std::uint16_t opcode, std::uint64_t id) {
        return call(driver::on_object(opcode, ++next_request_, id));
    }

    std::uint64_t context() { return call(driver::create_context(++next_request_)).id(); }
    std::uint64_t queue(std::uint64_t context) {
        return call(driver::create_queue(++next_request_, context)).id();
    }
    Answer allocate(std::uint64_t context, std::uint64_t bytes, std::uint32_t usage = kAllUsage) {
        return call(driver::allocate_buffer(++next_request_,
                                            {.context = context, .bytes = bytes, .usage = usage}));
    }
    std::uint64_t buffer(std::uint64_t context, std::uint64_t bytes,
                         std::uint32_t usage = kAllUsage) {
        return allocate(context, bytes, usage).id();
    }
    Answer load(std::uint64_t context, const mock::Artifact& artifact) {
        return call(driver::load_program(++next_request_,
                                         {.context = context,
                                          .format = mock::kFormat,
                                          .target = mock::kTarget,
                                          .resident_bytes = mock::kResidentBytes},
                                         mock::encode(artifact)));
    }
    std::uint64_t program(std::uint64_t context, const mock::Artifact& artifact) {
        return load(context, artifact).id();
    }
    Answer submit(std::uint64_t queue, std::uint64_t program,
                  std::span<const virtio_accel_binding> bindings, std::uint64_t timeout_ns = 0) {
        return call(driver::submit(++next_request_, queue, program, bindings, timeout_ns));
    }
    Answer write(std::uint64_t buffer, std::uint64_t offset, std::span<const std::byte> data) {
        return call(driver::write_buffer(++next_request_, buffer, offset, data));
    }
    Answer read(std::uint64_t buffer, std::uint64_t offset, std::uint64_t bytes) {
        return call(driver::read_buffer(++next_request_, buffer, offset, bytes));
    }

    engine::Engine engine;

 private:
    std::uint64_t next_request_ = 0;
};

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
