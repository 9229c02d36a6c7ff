// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "driver/answer.hpp"
#include "driver/device.hpp"
#include "driver/frames.hpp"
#include "driver/ring.hpp"
#include "driver/shared_memory.hpp"

namespace driver {

// How many bytes each descriptor of a chain has.
struct Shape {
    std::vector<std::size_t> readable;
    std::vector<std::size_t> writable;
};
// `bytes` in pieces of at most `piece`.
[[nodiscard]] std::vector<std::size_t> pieces_of(std::size_t bytes, std::size_t piece);

// A guest with one device: memory, the driver's half of a ring in it, and the device
// that serves the ring. For tests, which look at bytes; it copies and allocates freely.
class Guest {
 public:
    struct Options {
        std::uint16_t ring_size = 128;
        std::size_t memory_bytes = 1 << 20;
        Device::Options device{};
    };

    explicit Guest(std::unique_ptr<provider::Provider> provider);
    Guest(std::unique_ptr<provider::Provider> provider, const Options& options);

    // Places a frame in guest memory, cut up as `shape` says, and publishes it. The
    // shape's readable bytes are the frame's. Nothing when the ring is full.
    [[nodiscard]] std::optional<std::uint16_t> publish(std::span<const std::byte> frame,
                                                       const Shape& shape);
    struct Completion {
        std::uint16_t head = 0;
        Answer answer;
    };
    [[nodiscard]] std::expected<Completion, NotPopped> pop();

    // One command from its publication to its answer, which is its own.
    Answer call(std::span<const std::byte> frame, const Shape& shape);
    Answer call(std::span<const std::byte> frame, std::size_t capacity = 4096);
    Answer call(const Request& request, std::size_t capacity = 4096) {
        return call(request.bytes(), capacity);
    }
    // All of guest memory but the ring.
    [[nodiscard]] std::span<std::byte> data() const { return memory.bytes().subspan(data_); }
    // Request ids count up from 1.
    [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }

    // Resets the device, reclaims the chains and starts again, with ids from 1.
    engine::ResetReport reset();
    // Starts the ring again, whose indices then stand at `index`; objects stay.
    void restart(std::uint16_t index);

    SharedMemory memory;
    Ring ring;
    Device device;
    std::uint16_t reclaimed = 0;  // chains, when the ring was last started again

 private:
    std::size_t data_;             // where the ring's memory ends
    std::vector<Block> writable_;  // of the outstanding chains, by head
    std::uint64_t last_id_ = 0;
};

}  // namespace driver
