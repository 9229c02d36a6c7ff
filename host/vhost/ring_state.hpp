// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "vhost/protocol.hpp"

namespace vhost {

// Where a device stands in its ring, in memory that a second process may map: when the
// one that serves the ring dies, at whatever instruction, the other can go on. A step
// over several fields is announced first, so that half a step is seen and completed.
// All zero is a ring that nothing was taken from.
//
// The other process may also have gone mad: what it finds here it must check.
struct RingState {
    // One step: a head, and the index that it moves on to.
    struct Step {
        std::uint16_t head;
        std::uint16_t index;
    };

    std::atomic<std::uint64_t> consumed;  // chains since the guest last set up the ring
    std::atomic<std::uint64_t> taking;    // a Step, if not 0
    std::atomic<std::uint64_t> completing;
    std::atomic<std::uint16_t> next_available;
    std::atomic<bool> faulted;  // the guest has broken the ring, which is not served any more
    // By head: when the chain was taken, in ticks(); 0 if it is not in flight.
    std::array<std::atomic<std::uint32_t>, kMaxRingSize> taken;

    [[nodiscard]] static constexpr std::uint64_t announced(Step step) {
        return std::uint64_t{1} << 32 | std::uint64_t{step.head} << 16 | step.index;
    }
    [[nodiscard]] static constexpr std::optional<Step> announced_step(std::uint64_t word) {
        if (word == 0) return std::nullopt;
        return Step{static_cast<std::uint16_t>(word >> 16), static_cast<std::uint16_t>(word)};
    }

    // Milliseconds of a clock that all processes share, and never 0.
    [[nodiscard]] static std::uint32_t ticks();
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::uint16_t>::is_always_lock_free);

}  // namespace vhost
