// SPDX-License-Identifier: MIT
#include "cpu/kernels/gemm_isa.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/targets.hpp"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm_isa.cpp"  // this file, once a target
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Two vectors wide, and as high as the registers allow: 32 of them from AVX-512 on, else 16.
constexpr std::size_t kTileRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;

const hn::ScalableTag<float> kFloats;
const hn::ScalableTag<std::int32_t> kInts;
const hn::Repartition<std::uint8_t, decltype(kInts)> kUnsignedBytes;
const hn::Repartition<std::int8_t, decltype(kInts)> kBytes;

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

struct FloatSteps {
    using T = float;
    static HWY_INLINE auto right(const std::byte* at) {
        return hn::LoadU(kFloats, reinterpret_cast<const float*>(at));
    }
    static HWY_INLINE auto left(const std::byte* at) { return hn::Set(kFloats, read<float>(at)); }
    template <class Left, class Right, class Sum>
    static HWY_INLINE Sum multiply_add(Left left, Right right, Sum sum) {
        return hn::MulAdd(left, right, sum);
    }
};

// Exact on every target: none of them goes through saturated pairs.
struct ByteSteps {
    using T = std::int32_t;
    static HWY_INLINE auto right(const std::byte* at) {
        return hn::LoadU(kBytes, reinterpret_cast<const std::int8_t*>(at));
    }
    static HWY_INLINE auto left(const std::byte* at) {
        return hn::BitCast(kUnsignedBytes, hn::Set(kInts, read<std::int32_t>(at)));
    }
    template <class Left, class Right, class Sum>
    static HWY_INLINE Sum multiply_add(Left left, Right right, Sum sum) {
        return hn::SumOfMulQuadAccumulate(kInts, left, right, sum);
    }
};

// What a tile takes from its block.
template <class T>
struct Tile {
    const LeftRows* left;
    const std::byte* right;
    std::size_t columns;
    T* c;
    const T* column_terms;
    const std::int32_t* row_terms;
};

template <class T, std::size_t kRows, std::size_t kVectors>
using Sums = hn::Vec<hn::ScalableTag<T>>[kRows][kVectors];

// Calls body(sum, c, count): `count` columns are left there, perhaps less than a vector has.
template <class T, std::size_t kRows, std::size_t kVectors, class Body>
HWY_INLINE void for_each_sum(const GemmBlock& block, const Tile<T>& tile,
                             Sums<T, kRows, kVectors>& sums, Body body) {
    const std::size_t lanes = hn::Lanes(kInts);
    HWY_UNROLL(12)
    for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t i = 0; i < kVectors; ++i)
            body(sums[row][i], tile.c + row * block.c_stride + i * lanes, tile.columns - i * lanes);
}

template <class T, std::size_t kRows, std::size_t kVectors>
HWY_INLINE void start(const GemmBlock& block, const Tile<T>& tile, bool whole,
                      Sums<T, kRows, kVectors>& sums) {
    const hn::ScalableTag<T> d;
    for (std::size_t i = 0; i < kVectors; ++i) {
        const auto first = tile.column_terms == nullptr
                               ? hn::Zero(d)
                               : hn::LoadU(d, tile.column_terms + i * hn::Lanes(d));
        HWY_UNROLL(12)
        for (std::size_t row = 0; row < kRows; ++row)
            sums[row][i] = first;
    }
    if (!block.accumulate) return;
    if (whole)
        for_each_sum(block, tile, sums, [](auto& sum, const T* c, std::size_t) HWY_ATTR {
            sum = hn::Add(sum, hn::LoadU(hn::ScalableTag<T>(), c));
        });
    else
        for_each_sum(block, tile, sums, [](auto& sum, const T* c, std::size_t count) HWY_ATTR {
            sum = hn::Add(sum, hn::LoadN(hn::ScalableTag<T>(), c, count));
        });
}

template <class Steps, std::size_t kRows, std::size_t kVectors>
HWY_INLINE void add_products(const GemmBlock& block, const Tile<typename Steps::T>& tile,
                             Sums<typename Steps::T, kRows, kVectors>& sums) {
    const std::size_t vector_bytes = hn::Lanes(kInts) * kStepBytes;
    // Each serves three rows: x86 adds once or twice a stride as it loads.
    constexpr std::size_t kThirds = (kRows + 2) / 3;
    const LeftRows& rows = *tile.left;
    const std::size_t stride = rows.stride;
    const std::byte* left[kThirds];
    left[0] = rows.at;
    for (std::size_t third = 1; third < kThirds; ++third)
        left[third] = left[third - 1] + 3 * stride;
    const std::byte* right = tile.right;
    std::size_t run = std::min(rows.first_run, block.steps);
    for (std::size_t steps = block.steps; steps > 0;) {
        for (std::size_t step = 0; step < run; ++step) {
            decltype(Steps::right(right)) values[kVectors];
            for (std::size_t i = 0; i < kVectors; ++i)
                values[i] = Steps::right(right + i * vector_bytes);
            HWY_UNROLL(12)
            for (std::size_t row = 0; row < kRows; ++row) {
                const auto value = Steps::left(left[row / 3] + row % 3 * stride);
                for (std::size_t i = 0; i < kVectors; ++i)
                    sums[row][i] = Steps::multiply_add(value, values[i], sums[row][i]);
            }
            HWY_UNROLL(4)
            for (std::size_t third = 0; third < kThirds; ++third)
                left[third] += kStepBytes;
            right += 2 * vector_bytes;
        }
        steps -= run;
        run = std::min(rows.run, steps);
        HWY_UNROLL(4)
        for (std::size_t third = 0; third < kThirds; ++third)
            left[third] += rows.gap;
    }
}

template <class Steps, std::size_t kRows, std::size_t kVectors>
HWY_NOINLINE void multiply_tile(const GemmBlock& block, const Tile<typename Steps::T>& tile) {
    using T = typename Steps::T;
    const hn::ScalableTag<T> d;
    const bool whole = tile.columns >= kVectors * hn::Lanes(d);
    Sums<T, kRows, kVectors> sums;
    start(block, tile, whole, sums);
    add_products<Steps>(block, tile, sums);
    if constexpr (std::is_same_v<T, std::int32_t>)
        if (tile.row_terms != nullptr) {
            HWY_UNROLL(12)
            for (std::size_t row = 0; row < kRows; ++row)
                for (auto& sum : sums[row])
                    sum = hn::Sub(sum, hn::Set(d, tile.row_terms[row]));
        }
    if (whole)
        for_each_sum(block, tile, sums, [](auto sum, T* c, std::size_t) HWY_ATTR {
            hn::StoreU(sum, hn::ScalableTag<T>(), c);
        });
    else
        for_each_sum(block, tile, sums, [](auto sum, T* c, std::size_t count) HWY_ATTR {
            hn::StoreN(sum, hn::ScalableTag<T>(), c, count);
        });
}

template <class Steps, std::size_t kRows = kTileRows>
HWY_INLINE void multiply_rows(std::size_t rows, const GemmBlock& block,
                              const Tile<typename Steps::T>& tile) {
    if constexpr (kRows > 0) {
        if (rows < kRows)
            multiply_rows<Steps, kRows - 1>(rows, block, tile);
        else if (tile.columns > hn::Lanes(kInts))
            multiply_tile<Steps, kRows, 2>(block, tile);
        else
            multiply_tile<Steps, kRows, 1>(block, tile);
    }
}

// A panel of the right operand stays in the nearest cache for all rows of the left one.
template <class Steps>
void multiply(const GemmBlock& block) {
    using T = typename Steps::T;
    const std::size_t panel = 2 * hn::Lanes(kInts);
    const std::byte* right = block.right;
    for (std::size_t column = 0; column < block.columns; column += panel) {
        const T* terms = static_cast<const T*>(block.column_terms);
        const LeftRows* left = block.left;
        for (std::size_t row = 0; row < block.rows; row += block.tile_rows)
            multiply_rows<Steps>(
                std::min(block.tile_rows, block.rows - row), block,
                {.left = left++,
                 .right = right,
                 .columns = std::min(panel, block.columns - column),
                 .c = static_cast<T*>(block.c) + row * block.c_stride + column,
                 .column_terms = terms == nullptr ? nullptr : terms + column,
                 .row_terms = block.row_terms == nullptr ? nullptr : block.row_terms + row});
        right += block.panel_stride;
    }
}

template <class Half>
void load_halves(const std::byte* from, std::size_t count, std::byte* to) {
    const hn::Rebind<Half, decltype(kFloats)> halves;
    const auto* in = reinterpret_cast<const Half*>(from);
    auto* out = reinterpret_cast<float*>(to);
    const std::size_t lanes = hn::Lanes(kFloats);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::PromoteTo(kFloats, hn::LoadU(halves, in + i)), kFloats, out + i);
    if (i < count)
        hn::StoreN(hn::PromoteTo(kFloats, hn::LoadN(halves, in + i, count - i)), kFloats, out + i,
                   count - i);
}

void load_floats(const std::byte* from, std::size_t count, std::byte* to) {
    const auto* in = reinterpret_cast<const float*>(from);
    auto* out = reinterpret_cast<float*>(to);
    const std::size_t lanes = hn::Lanes(kFloats);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::LoadU(kFloats, in + i), kFloats, out + i);
    if (i < count) hn::StoreN(hn::LoadN(kFloats, in + i, count - i), kFloats, out + i, count - i);
}

void load_bytes(const std::byte* from, std::size_t count, std::byte* to) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto* in = reinterpret_cast<const std::uint8_t*>(from);
    auto* out = reinterpret_cast<std::uint8_t*>(to);
    const auto sign = hn::Set(d, std::uint8_t{0x80});
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::Xor(hn::LoadU(d, in + i), sign), d, out + i);
    for (; i < count; ++i)
        out[i] = static_cast<std::uint8_t>(in[i] ^ 0x80U);
}

template <void (*kLoad)(const std::byte*, std::size_t, std::byte*)>
void load_rows(const std::byte* from, std::size_t stride, std::size_t rows, std::size_t count,
               std::byte* to, std::size_t to_stride) {
    for (std::size_t row = 0; row < rows; ++row)
        kLoad(from + row * stride, count, to + row * to_stride);
}

template <void (*kLoad)(const std::byte*, std::size_t, std::byte*)>
void pack_floats(const PanelSource& source, std::byte* to, std::int32_t* /*sums*/) {
    const std::size_t columns = 2 * hn::Lanes(kFloats);
    for (std::size_t k = 0; k < source.depth; ++k, to += columns * kStepBytes) {
        kLoad(source.from + k * source.row_stride, source.columns, to);
        std::memset(to + source.columns * kStepBytes, 0, (columns - source.columns) * kStepBytes);
    }
}

// Four rows become one, k by k; rows that are not there become zero.
void pack_bytes(const PanelSource& source, std::byte* to, std::int32_t* sums) {
    constexpr std::size_t kMost = 2 * HWY_MAX_LANES_D(hn::ScalableTag<std::int32_t>);
    const hn::CappedTag<std::uint8_t, kMost> d;
    const std::size_t columns = 2 * hn::Lanes(kInts);
    const auto ones = hn::Set(kUnsignedBytes, std::uint8_t{1});
    for (std::size_t k = 0; k < source.depth; k += 4, to += columns * kStepBytes) {
        std::uint8_t edge[4][kMost] = {};
        const std::uint8_t* rows[4];
        for (std::size_t i = 0; i < 4; ++i) {
            const std::byte* row = source.from + (k + i) * source.row_stride;
            rows[i] = reinterpret_cast<const std::uint8_t*>(row);
            if (k + i < source.depth && source.columns == columns) continue;
            if (k + i < source.depth) std::memcpy(edge[i], row, source.columns);
            rows[i] = edge[i];
        }
        hn::StoreInterleaved4(hn::LoadU(d, rows[0]), hn::LoadU(d, rows[1]), hn::LoadU(d, rows[2]),
                              hn::LoadU(d, rows[3]), d, reinterpret_cast<std::uint8_t*>(to));
        for (std::size_t half = 0; half < columns; half += hn::Lanes(kInts))
            hn::StoreU(
                hn::SumOfMulQuadAccumulate(kInts, ones, ByteSteps::right(to + half * kStepBytes),
                                           hn::LoadU(kInts, sums + half)),
                kInts, sums + half);
    }
}

template <class Half>
void store_halves(const float* from, std::size_t count, std::byte* to) {
    const hn::Rebind<Half, decltype(kFloats)> halves;
    auto* out = reinterpret_cast<Half*>(to);
    const std::size_t lanes = hn::Lanes(kFloats);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::DemoteTo(halves, hn::LoadU(kFloats, from + i)), halves, out + i);
    if (i < count)
        hn::StoreN(hn::DemoteTo(halves, hn::LoadN(kFloats, from + i, count - i)), halves, out + i,
                   count - i);
}

void store_floats(const float* from, std::size_t count, std::byte* to) {
    std::memcpy(to, from, count * sizeof(float));
}

std::int32_t sum(const std::byte* from, std::size_t count) {
    const auto ones = hn::Set(kBytes, std::int8_t{1});
    const std::size_t lanes = hn::Lanes(kUnsignedBytes);
    const auto* in = reinterpret_cast<const std::uint8_t*>(from);
    auto sums = hn::Zero(kInts);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        sums = hn::SumOfMulQuadAccumulate(kInts, hn::LoadU(kUnsignedBytes, in + i), ones, sums);
    std::int32_t total = hn::ReduceSum(kInts, sums);
    for (; i < count; ++i)
        total += in[i];
    return total;
}

const GemmIsa& isa() {
    static const GemmIsa table{
        .rows = kTileRows,
        .columns = 2 * hn::Lanes(kInts),
        // Highway's substitute for what SSE2 lacks does not know infinities and NaN.
        .halves = HWY_TARGET != HWY_SSE2,
        .multiply_floats = multiply<FloatSteps>,
        .multiply_bytes = multiply<ByteSteps>,
        .load = {load_floats, load_halves<hwy::float16_t>, load_halves<hwy::bfloat16_t>,
                 load_bytes},
        .load_rows = {load_rows<load_floats>, load_rows<load_halves<hwy::float16_t>>,
                      load_rows<load_halves<hwy::bfloat16_t>>, load_rows<load_bytes>},
        .pack_panel = {pack_floats<load_floats>, pack_floats<load_halves<hwy::float16_t>>,
                       pack_floats<load_halves<hwy::bfloat16_t>>, pack_bytes},
        .store = {store_floats, store_halves<hwy::float16_t>, store_halves<hwy::bfloat16_t>,
                  nullptr},
        .sum = sum,
    };
    return table;
}

}  // namespace
}  // namespace cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cpu {

HWY_EXPORT(isa);

const GemmIsa& gemm_isa() {
    return HWY_DYNAMIC_DISPATCH(isa)();
}

}  // namespace cpu
#endif
