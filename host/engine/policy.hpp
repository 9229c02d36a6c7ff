// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace engine {

// Host-private ceilings on what all objects of one guest may retain (protocol.md
// 4.8). Both are nonzero.
struct Policy {
    std::uint64_t max_buffer_bytes = 1ULL << 30;   // sum of actual allocation bytes
    std::uint64_t max_program_bytes = 1ULL << 30;  // sum of declared resident_bytes
};

}  // namespace engine
