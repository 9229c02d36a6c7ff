// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

namespace engine {

// Host-private ceilings on what all objects of one guest may retain (protocol.md
// 4.8), and on the contexts that the guest is told of. All are nonzero.
struct Policy {
    std::uint64_t max_buffer_bytes = 1ULL << 30;   // sum of actual allocation bytes
    std::uint64_t max_program_bytes = 1ULL << 30;  // sum of declared resident_bytes
    std::uint32_t max_contexts = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace engine
