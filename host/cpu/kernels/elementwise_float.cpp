// SPDX-License-Identifier: MIT
//
// FP32 lanes: operators that are exact or round once.
#include "cpu/kernels/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/elementwise_float.cpp"
#include <hwy/foreach_target.h>
// What foreach_target.h includes again comes after it.
#include "cpu/kernels/elementwise_format-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cpu::elementwise::HWY_NAMESPACE {
namespace {

using F = FloatVector;
using P = const Parameters&;

F add(P, F a, F b) {
    return hn::Add(a, b);
}
F sub(P, F a, F b) {
    return hn::Sub(a, b);
}
F mul(P, F a, F b) {
    return hn::Mul(a, b);
}
F abs(P, F a) {
    return hn::Abs(a);
}
F negate(P, F a) {
    return hn::Neg(a);
}
// Zeros keep their sign; where SSE2 goes through integers, Highway loses it.
F ceil(P, F a) {
    return hn::CopySign(hn::Ceil(a), a);
}
F floor(P, F a) {
    return hn::CopySign(hn::Floor(a), a);
}
F reciprocal(P, F a) {
    return hn::Div(hn::Set(Floats(), 1.0F), a);
}
F rsqrt(P p, F a) {
    return reciprocal(p, hn::Sqrt(a));
}

// Which operand an equal comparison keeps matters for signed zeros: the first in the
// maximum, the second in the minimum (TOSA, apply_max_s and apply_min_s).
F larger(F a, F b) {
    return hn::IfThenElse(hn::Ge(a, b), a, b);
}
F smaller(F a, F b) {
    return hn::IfThenElse(hn::Lt(a, b), a, b);
}
F nan_of(F a, F b) {
    return hn::IfThenElse(hn::IsNaN(a), a, b);
}
F other_than_nan(F a, F b) {
    return hn::IfThenElse(hn::IsNaN(a), b, a);
}

F max(P, F a, F b) {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), nan_of(a, b), larger(a, b));
}
F min(P, F a, F b) {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), nan_of(a, b), smaller(a, b));
}
F max_ignoring_nan(P, F a, F b) {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), other_than_nan(a, b), larger(a, b));
}
F min_ignoring_nan(P, F a, F b) {
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), other_than_nan(a, b), smaller(a, b));
}

// The bounds are numbers, so a NaN that is ignored becomes the lower one.
F clamp_ignoring_nan(P p, F a) {
    const Floats d;
    return smaller(larger(a, hn::Set(d, p.low_float())), hn::Set(d, p.high_float()));
}
F clamp(P p, F a) {
    return hn::IfThenElse(hn::IsNaN(a), a, clamp_ignoring_nan(p, a));
}

IntVector equal(P, F a, F b) {
    return truth(hn::Eq(a, b));
}
IntVector greater(P, F a, F b) {
    return truth(hn::Gt(a, b));
}
IntVector greater_equal(P, F a, F b) {
    return truth(hn::Ge(a, b));
}

template <class Format>
F round_to(P, F a) {
    return Format::decode(hn::And(Format::encode(a), hn::Set(Ints(), 2 * Format::kOnes + 1)));
}

// CAST: to nearest, saturating. What NaN becomes is not defined; zero.
IntVector to_int(P p, F a) {
    const Floats d;
    const Ints di;
    const F rounded = hn::IfThenElseZero(hn::Eq(a, a), hn::Round(a));
    const auto over = hn::Ge(rounded, hn::Set(d, 0x1p31F));
    const F in_range = hn::IfThenElseZero(hn::Not(over), hn::Max(rounded, hn::Set(d, -0x1p31F)));
    const IntVector exact = hn::IfThenElse(hn::RebindMask(di, over), hn::Set(di, 0x7FFFFFFF),
                                           hn::ConvertTo(di, in_range));
    return hn::Min(hn::Max(exact, hn::Set(di, p.low)), hn::Set(di, p.high));
}

F from_int(P, IntVector a) {
    return hn::ConvertTo(Floats(), a);
}

// So that FP32 is not what rounds: what it has no place for counts as one bit that it has,
// far below those of BF16.
F from_int_sticky(P, IntVector a) {
    const Ints d;
    const IntVector magnitude = hn::Abs(a);
    const IntVector rest = hn::And(magnitude, hn::Set(d, 0x7F));
    const IntVector sticky = hn::IfThenElseZero(hn::Gt(rest, hn::Zero(d)), hn::Set(d, 0x80));
    const IntVector odd = hn::Or(hn::AndNot(hn::Set(d, 0x7F), magnitude), sticky);
    const auto large = hn::Not(hn::Lt(hn::BitCast(Words(), magnitude), hn::Set(Words(), 1U << 24)));
    const IntVector exact = hn::IfThenElse(hn::RebindMask(d, large), odd, magnitude);
    const F value = hn::ConvertTo(Floats(), hn::BitCast(Words(), exact));
    return hn::IfThenElse(hn::RebindMask(Floats(), hn::Lt(a, hn::Zero(d))), hn::Neg(value), value);
}

BlockFunction find(Code code) {
    switch (code) {
        case Code::AddF:
            return two<Floats, Floats, add>;
        case Code::SubF:
            return two<Floats, Floats, sub>;
        case Code::MulF:
            return two<Floats, Floats, mul>;
        case Code::AbsF:
            return one<Floats, Floats, abs>;
        case Code::NegateF:
            return one<Floats, Floats, negate>;
        case Code::MaxF:
            return two<Floats, Floats, max>;
        case Code::MinF:
            return two<Floats, Floats, min>;
        case Code::MaxIgnoringNaN:
            return two<Floats, Floats, max_ignoring_nan>;
        case Code::MinIgnoringNaN:
            return two<Floats, Floats, min_ignoring_nan>;
        case Code::ClampF:
            return one<Floats, Floats, clamp>;
        case Code::ClampIgnoringNaN:
            return one<Floats, Floats, clamp_ignoring_nan>;
        case Code::Reciprocal:
            return one<Floats, Floats, reciprocal>;
        case Code::Rsqrt:
            return one<Floats, Floats, rsqrt>;
        case Code::Ceil:
            return one<Floats, Floats, ceil>;
        case Code::Floor:
            return one<Floats, Floats, floor>;
        case Code::EqualF:
            return two<Floats, Ints, equal>;
        case Code::GreaterF:
            return two<Floats, Ints, greater>;
        case Code::GreaterEqualF:
            return two<Floats, Ints, greater_equal>;
        case Code::RoundFp16:
            return one<Floats, Floats, round_to<Fp16>>;
        case Code::RoundBf16:
            return one<Floats, Floats, round_to<Bf16>>;
        case Code::RoundFp8E4M3:
            return one<Floats, Floats, round_to<Fp8E4M3>>;
        case Code::RoundFp8E5M2:
            return one<Floats, Floats, round_to<Fp8E5M2>>;
        case Code::FloatToInt:
            return one<Floats, Ints, to_int>;
        case Code::IntToFloat:
            return one<Ints, Floats, from_int>;
        case Code::IntToBf16:
            return one<Ints, Floats, from_int_sticky>;
        default:
            return nullptr;
    }
}

}  // namespace
}  // namespace cpu::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cpu::elementwise {
namespace {
HWY_EXPORT(find);
}  // namespace

BlockFunction float_function(Code code) {
    return HWY_DYNAMIC_DISPATCH(find)(code);
}

}  // namespace cpu::elementwise
#endif
