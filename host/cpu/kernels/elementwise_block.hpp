// SPDX-License-Identifier: MIT
//
// The smallest parts of elementwise operators: functions on a block of elements that lie in
// registers, as we call arrays of 32-bit lanes. A lane is FP32, where narrower types are
// widened exactly, or INT32.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tosa/types.hpp"

namespace cpu::elementwise {

// Elements of a block: some registers of it fit into the first-level cache.
inline constexpr std::size_t kBlock = 1024;

// No vector has more lanes. A count that is not a multiple is rounded up to one, within the
// block: what the lanes behind it compute is not used.
inline constexpr std::size_t kMaxLanes = 16;

enum class Code : std::uint8_t {
    // FP32, exact or rounded once.
    AddF,
    SubF,
    MulF,
    AbsF,
    NegateF,
    MaxF,
    MinF,
    MaxIgnoringNaN,
    MinIgnoringNaN,
    ClampF,
    ClampIgnoringNaN,
    Reciprocal,
    Rsqrt,
    Ceil,
    Floor,
    EqualF,
    GreaterF,
    GreaterEqualF,
    // To the nearest of a narrower type, as FP32.
    RoundFp16,
    RoundBf16,
    RoundFp8E4M3,
    RoundFp8E5M2,
    FloatToInt,
    IntToFloat,
    IntToBf16,
    // FP32, within the error bounds of TOSA.
    Exp,
    Log,
    Sigmoid,
    Tanh,
    Erf,
    Sin,
    Cos,
    Pow,
    // INT32; Copy and Select take either.
    Copy,
    AddI,
    SubI,
    MulI,
    MulShift,
    AbsI,
    NegateI,
    MaxI,
    MinI,
    ClampI,
    And,
    Or,
    Xor,
    Not,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    LogicalNot,
    Clz,
    ShiftLeft,
    ShiftRight,
    ShiftRightRounding,
    ShiftRightLogical,
    EqualI,
    GreaterI,
    GreaterEqualI,
    Select,
    Wrap8,
    Wrap16,
    IsNotZero,
    Rescale,
    Table,
};

struct Parameters {
    // Clamp*, FloatToInt, NegateI: bounds of the result, FP32 as its bits. Rescale: without
    // the zero point.
    std::int32_t low = 0;
    std::int32_t high = 0;
    std::int32_t in_zero = 0;          // NegateI, Rescale
    std::int32_t out_zero = 0;         // NegateI, Rescale
    std::int32_t mask = -1;            // bits of the operand that count: Rescale, ShiftRightLogical
    std::int32_t shift = 0;            // MulShift, >= 1. Shift*: the type's bits less 1
    bool double_round = false;         // Rescale
    const std::byte* table = nullptr;  // Table: of 256 INT8

    [[nodiscard]] float low_float() const { return std::bit_cast<float>(low); }
    [[nodiscard]] float high_float() const { return std::bit_cast<float>(high); }
};

struct Arguments {
    std::array<const void*, 3> in;
    void* out;  // may be one of `in`
    std::size_t count;
    const Parameters& parameters;

    template <class T>
    [[nodiscard]] const T* input(std::size_t i) const {
        return static_cast<const T*>(in[i]);
    }
    template <class T>
    [[nodiscard]] T* output() const {
        return static_cast<T*>(out);
    }
};

using BlockFunction = void (*)(const Arguments& arguments);

// For the processor that runs this: the widest vectors that it has.
[[nodiscard]] BlockFunction block_function(Code code);

// Elements as they lie in a buffer to lanes and back, exactly as many as `count`. Narrowing
// rounds to nearest and keeps the low bits of integers.
using Widen = void (*)(const std::byte* from, void* lanes, std::size_t count);
using Narrow = void (*)(const void* lanes, std::byte* to, std::size_t count);
[[nodiscard]] Widen widen_function(tosa::DType type);
[[nodiscard]] Narrow narrow_function(tosa::DType type);

// Of the functions above, those of one file each; null for a code of another.
[[nodiscard]] BlockFunction float_function(Code code);
[[nodiscard]] BlockFunction math_function(Code code);
[[nodiscard]] BlockFunction integer_function(Code code);

}  // namespace cpu::elementwise
