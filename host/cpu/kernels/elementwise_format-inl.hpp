// SPDX-License-Identifier: MIT
//
// Narrow floating-point types in FP32 lanes, exactly as tosa/number.hpp has them. Compiled
// once for each instruction set.
#if defined(CPU_ELEMENTWISE_FORMAT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CPU_ELEMENTWISE_FORMAT_INL
#undef CPU_ELEMENTWISE_FORMAT_INL
#else
#define CPU_ELEMENTWISE_FORMAT_INL
#endif

#include "cpu/kernels/elementwise_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cpu::elementwise::HWY_NAMESPACE {

// How a type spends its bits, sign apart. FP8E4M3 has no infinity.
template <int kExponentBits, int kFractionBits, bool kInfinity>
struct Format {
    static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
    static constexpr int kSign = kExponentBits + kFractionBits;
    static constexpr int kDrop = 23 - kFractionBits;  // fraction bits of FP32 too many
    static constexpr std::int32_t kOnes = (1 << kSign) - 1;
    // The first encoding that is not finite.
    static constexpr std::int32_t kEnd =
        kInfinity ? kOnes >> kFractionBits << kFractionBits : kOnes;
    static constexpr std::int32_t kNaN = kInfinity ? kEnd | 1 << (kFractionBits - 1) : kOnes;

    // From the type's bits, zero-extended.
    static FloatVector decode(IntVector element) {
        const Ints d;
        const IntVector magnitude = hn::And(element, hn::Set(d, kOnes));
        const IntVector sign = hn::ShiftLeft<31>(hn::ShiftRight<kSign>(element));
        const FloatVector shifted = as_float(hn::ShiftLeft<kDrop>(magnitude));
        // A power of two makes up for the difference of the biases; subnormals get their
        // leading one on the way.
        const FloatVector finite =
            kBias == 127
                ? shifted
                : hn::Mul(shifted, hn::Set(Floats(), std::bit_cast<float>((254 - kBias) << 23)));
        const IntVector special = hn::Or(hn::ShiftLeft<kDrop>(magnitude), hn::Set(d, 0x7F800000));
        const auto is_special = hn::Ge(magnitude, hn::Set(d, kEnd));
        return as_float(hn::Or(hn::IfThenElse(is_special, special, bits(finite)), sign));
    }

    // To the nearest, ties to even.
    static IntVector encode(FloatVector v) {
        const Ints d;
        const IntVector magnitude = hn::And(bits(v), hn::Set(d, 0x7FFFFFFF));
        const IntVector sign =
            hn::BitCast(d, hn::ShiftLeft<kSign>(hn::ShiftRight<31>(hn::BitCast(Words(), bits(v)))));
        IntVector element = hn::Min(round(magnitude), hn::Set(d, kInfinity ? kEnd : kNaN));
        if constexpr (kBias != 127) {
            // Adding what has a unit of the subnormals' last place rounds to them.
            constexpr std::int32_t kMagic = (127 + 24 - kBias - kFractionBits) << 23;
            const IntVector subnormal =
                hn::Sub(bits(hn::Add(as_float(magnitude), as_float(hn::Set(d, kMagic)))),
                        hn::Set(d, kMagic));
            constexpr std::int32_t kNormal = (128 - kBias) << 23;
            element = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, kNormal)), subnormal, element);
        }
        const auto is_nan = hn::Gt(magnitude, hn::Set(d, 0x7F800000));
        return hn::Or(hn::IfThenElse(is_nan, hn::Set(d, kNaN), element), sign);
    }

 private:
    // FP32 bits without a sign to those of a normal element, which may be too large.
    static IntVector round(IntVector magnitude) {
        const Ints d;
        constexpr std::int32_t kRebias = (127 - kBias) << 23;
        const IntVector odd = hn::And(hn::ShiftRight<kDrop>(magnitude), hn::Set(d, 1));
        const IntVector half = hn::Set(d, (1 << (kDrop - 1)) - 1 - kRebias);
        return hn::ShiftRight<kDrop>(hn::Add(hn::Add(magnitude, half), odd));
    }
};

using Fp16 = Format<5, 10, true>;
using Bf16 = Format<8, 7, true>;
using Fp8E4M3 = Format<4, 3, false>;
using Fp8E5M2 = Format<5, 2, true>;

}  // namespace cpu::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
