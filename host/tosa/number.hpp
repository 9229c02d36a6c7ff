// SPDX-License-Identifier: MIT
//
// The numbers that stored elements stand for (providers.md 1.7 and 1.12). Plain and exact
// rather than fast: fast code is held against this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tosa/types.hpp"

namespace tosa {

[[nodiscard]] constexpr bool is_float(DType type) {
    using enum DType;
    return type == Fp32 || type == Fp16 || type == Bf16 || type == Fp8E4M3 || type == Fp8E5M2;
}

// How a floating-point type spends its bits, sign apart.
struct FloatFormat {
    int exponent_bits;
    int fraction_bits;
    bool has_infinity;  // FP8E4M3 has none: its largest encoding is its only NaN

    [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
};

// Of the five floating-point types only.
[[nodiscard]] FloatFormat float_format(DType type);

// The largest finite and the smallest positive normal number.
[[nodiscard]] double largest(DType type);
[[nodiscard]] double smallest_normal(DType type);

// The value of an element, given in the low bits, exactly. NaN keeps its sign only.
[[nodiscard]] double decode_float(DType type, std::uint32_t bits);

// The nearest element, ties to even, subnormals included. What is too large becomes an
// infinity, or NaN in FP8E4M3. NaN becomes the type's quiet NaN; signs are always kept.
[[nodiscard]] std::uint32_t encode_float(DType type, double value);

// Element `index` of contents as they lie in a buffer: INT4 two a byte, low nibble first,
// INT48 in six bytes. read_integer() takes BOOL, integers and shapes.
[[nodiscard]] double read_float(DType type, const std::byte* data, std::uint64_t index);
[[nodiscard]] std::int64_t read_integer(DType type, const std::byte* data, std::uint64_t index);

// write_integer() keeps the low bits. Two INT4 of one byte must not be written at a time.
void write_float(DType type, std::byte* data, std::uint64_t index, double value);
void write_integer(DType type, std::byte* data, std::uint64_t index, std::int64_t value);

}  // namespace tosa
