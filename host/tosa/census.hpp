// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"

namespace tosa {

// How much of everything is in a file, a part that several things share counted for each.
struct Census {
    std::uint32_t tables = 0;
    std::uint32_t regions = 0;
    std::uint32_t blocks = 0;
    std::uint32_t tensors = 0;
    std::uint32_t shapes = 0;
    std::uint32_t operators = 0;
    std::uint32_t edges = 0;
};

// Counts before anything else is read, and stops at the first limit. FlatBuffers' own
// verifier says neither which limit a file exceeds, nor does it count the names that
// tables share: a few megabytes could cost it hours. `bytes` holds a root offset.
[[nodiscard]] Checked<Census> take_census(std::span<const std::byte> bytes, const Limits& limits);

}  // namespace tosa
