// SPDX-License-Identifier: MIT
//
// The inner loops of matrix products, once for each instruction set.
//
// Both operands are packed in steps of four bytes: one FP32 value, or four INT8 values of
// ascending k. The left operand keeps its rows; a step of the right one holds `columns`
// values (or fours) side by side. INT8 of the left operand have their sign bit flipped,
// which makes them unsigned and moves their zero point by 128.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tosa/types.hpp"

namespace cpu {

// What a product reads. FP16 and BF16 are widened when they are packed.
enum class Element : std::uint8_t { Fp32, Fp16, Bf16, Int8 };

[[nodiscard]] constexpr std::optional<Element> element_of(tosa::DType type) {
    using enum tosa::DType;
    switch (type) {
        case Fp32:
            return Element::Fp32;
        case Fp16:
            return Element::Fp16;
        case Bf16:
            return Element::Bf16;
        case Int8:
            return Element::Int8;
        default:
            return std::nullopt;
    }
}

[[nodiscard]] constexpr std::size_t bytes_of(Element element) {
    constexpr std::array<std::size_t, 4> kBytes{4, 2, 2, 1};
    return kBytes[static_cast<std::size_t>(element)];
}

inline constexpr std::size_t kStepBytes = 4;
// The most steps of a block, and how far apart packed rows lie: a cache line more, so that the rows
// of a tile do not fall into the same sets of the cache.
inline constexpr std::size_t kBlockSteps = 384;
inline constexpr std::size_t kRowStride = kBlockSteps * kStepBytes + 64;

// The rows of a tile. Their steps lie side by side in runs, of which a block may end within
// the last: as packed rows do, which are one.
struct LeftRows {
    const std::byte* at = nullptr;
    std::size_t stride = kRowStride;      // bytes from one row to the next
    std::size_t first_run = kBlockSteps;  // steps
    std::size_t run = 0;                  // steps of each run after it
    std::size_t gap = 0;                  // bytes from the end of a run to the next
};

// c = left by right, over some of k.
struct GemmBlock {
    const LeftRows* left;  // a tile after another
    const std::byte* right;
    std::size_t panel_stride;  // bytes from one panel of right to the next
    std::size_t rows;
    std::size_t tile_rows;  // of each tile but the last, which may have less
    std::size_t columns;
    std::size_t steps;
    void* c;  // FP32 or INT32
    std::size_t c_stride;
    bool accumulate;                // add to what is in c
    const void* column_terms;       // for all panels, added to each row where it is not null
    const std::int32_t* row_terms;  // INT8: subtracted from each column where it is not null
};

// INT8 of the right operand are summed by column.
struct PanelSource {
    const std::byte* from;   // of the first column
    std::size_t row_stride;  // bytes from one k to the next
    std::size_t depth;       // how many k
    std::size_t columns;     // at most a panel's; the others become zero
};

struct GemmIsa {
    std::size_t rows;     // of a tile
    std::size_t columns;  // of a tile, and of a panel of the right operand
    bool halves;          // FP16, with its infinities and NaN, can be loaded and stored

    void (*multiply_floats)(const GemmBlock& block);
    void (*multiply_bytes)(const GemmBlock& block);

    // By Element.
    std::array<void (*)(const std::byte* from, std::size_t count, std::byte* to), 4> load;
    // `rows` of them, which lie as many bytes apart as the strides say.
    std::array<void (*)(const std::byte* from, std::size_t stride, std::size_t rows,
                        std::size_t count, std::byte* to, std::size_t to_stride),
               4>
        load_rows;
    std::array<void (*)(const PanelSource& source, std::byte* to, std::int32_t* sums), 4>
        pack_panel;
    // FP32 to Element, rounding to nearest. Null for INT8.
    std::array<void (*)(const float* from, std::size_t count, std::byte* to), 4> store;

    std::int32_t (*sum)(const std::byte* from, std::size_t count);
};

// Of the best instruction set that this machine has.
[[nodiscard]] const GemmIsa& gemm_isa();

}  // namespace cpu
