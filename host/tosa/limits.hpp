// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tosa/target.hpp"

namespace tosa {

// Bounds on what the parser accepts (providers.md 1.5). They bound its time and
// memory, so that a hostile file costs no more than a large honest one.
struct Limits {
    std::uint64_t file_bytes = 256U << 20;
    std::uint32_t depth = 64;          // nested FlatBuffers tables
    std::uint32_t tables = 1'000'000;  // FlatBuffers tables, each visit counted
    std::uint32_t regions = 64;
    std::uint32_t blocks = 4'096;
    std::uint32_t tensors = 262'144;
    std::uint32_t shapes = 65'536;
    std::uint32_t operators = 1'000'000;
    std::uint32_t edges = 8'000'000;  // operands, block inputs and block outputs
    std::uint32_t name_bytes = 1'024;
    std::uint32_t rank = 32;  // a shape may hold twice as many: PAD needs two an axis
    std::uint64_t constant_bytes = 256U << 20;
};

// What a TOSA level allows (providers.md 1.3).
struct LevelLimits {
    std::uint32_t rank;
    std::uint32_t log2_size;  // tensors of up to 2^n - 1 bytes, shape values in [-2^n, 2^n)
};

[[nodiscard]] constexpr LevelLimits level_limits(Level level) {
    return level == Level::EightK ? LevelLimits{.rank = 6, .log2_size = 31}
                                  : LevelLimits{.rank = 32, .log2_size = 63};
}

}  // namespace tosa
