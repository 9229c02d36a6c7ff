// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "tosa/target.hpp"

namespace tosa {

// Bounds on what the parser accepts (providers.md 1.5), each over the whole file. They
// bound its time and memory, so that a hostile file costs no more than a large honest one.
struct Limits {
    std::uint64_t file_bytes = 256U << 20;
    // Names and contents, a part that several things share counted for each.
    std::uint64_t apparent_bytes = 512U << 20;
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
    std::int32_t kernel;  // extents of windows, dilated, their padding, and of FFTs
    std::int32_t stride;
    std::int32_t resize_scale;  // RESIZE enlarges up to this many times
    std::uint32_t log2_size;    // tensors of up to 2^n - 1 bytes, shape values in [-2^n, 2^n)
    std::uint32_t nesting;      // control flow inside control flow
    std::uint32_t tensor_list;  // tensors in an operand that is a list
};

[[nodiscard]] constexpr LevelLimits level_limits(Level level) {
    constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max();
    if (level == Level::EightK)
        return {.rank = 6,
                .kernel = 8192,
                .stride = 8192,
                .resize_scale = 256,
                .log2_size = 31,
                .nesting = 6,
                .tensor_list = 64};
    return {.rank = 32,
            .kernel = kAny,
            .stride = kAny,
            .resize_scale = 2048,
            .log2_size = 63,
            .nesting = 256,
            .tensor_list = 256};
}

}  // namespace tosa
