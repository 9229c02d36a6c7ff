// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "driver/ring_memory.hpp"
#include "driver/shared_memory.hpp"

namespace driver {

enum class NotPopped : std::uint8_t {
    Empty,
    UsedIndex,    // more elements than chains are outstanding
    UnknownHead,  // no outstanding chain has this head
};

// The driver's side of a split ring. What it believes about free descriptors and
// outstanding chains it keeps to itself: the device can write to the ring. Allocates
// only when it is made. One thread at a time.
class Ring {
 public:
    // `size` is a power of two, at most 32768.
    Ring(SharedMemory& memory, std::uint16_t size);

    // After the device was reset: nothing is outstanding any more. Returns how many
    // chains were reclaimed. Indices go on from `index`, which is 0 for a device that
    // was really reset; another one is a way to come near their wrap.
    std::uint16_t restart(std::uint16_t index = 0);

    // Publishes one descriptor for each piece and returns the head; nothing when there
    // are too few descriptors left, and then nothing was published.
    [[nodiscard]] std::optional<std::uint16_t> publish(std::span<const Block> readable,
                                                       std::span<const Block> writable);
    // To be asked after publish().
    [[nodiscard]] bool kick_wanted() const;

    // The next completed chain, whose memory is the driver's again.
    [[nodiscard]] std::expected<UsedElement, NotPopped> pop();
    void refuse_interrupts() const;
    // False when completions came in meanwhile, whose interrupt may be missing.
    [[nodiscard]] bool accept_interrupts() const;

    [[nodiscard]] std::uint16_t free_descriptors() const { return free_; }
    [[nodiscard]] std::uint16_t outstanding() const { return outstanding_; }
    [[nodiscard]] const RingMemory& memory() const { return memory_; }

 private:
    void put(std::uint16_t index, const Block& piece, std::uint16_t flags, bool last) const;

    RingMemory memory_;
    std::vector<std::uint16_t> next_;    // of a free descriptor, or within a chain
    std::vector<std::uint16_t> length_;  // by head, 0 when not outstanding
    std::uint16_t first_free_ = 0;
    std::uint16_t free_ = 0;
    std::uint16_t outstanding_ = 0;
    std::uint16_t next_available_ = 0;
    std::uint16_t next_used_ = 0;
};

}  // namespace driver
