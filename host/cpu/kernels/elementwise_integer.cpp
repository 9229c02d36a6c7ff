// SPDX-License-Identifier: MIT
//
// INT32 lanes: all results are exact. Where TOSA leaves a result unpredictable, sums and
// products wrap, and shifts count modulo 32.
#include "cpu/kernels/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/elementwise_integer.cpp"
#include <hwy/foreach_target.h>
// What foreach_target.h includes again comes after it.
#include "cpu/kernels/elementwise_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cpu::elementwise::HWY_NAMESPACE {
namespace {

using I = IntVector;
using W = WordVector;
using P = const Parameters&;
using Longs = hn::RepartitionToWide<Ints>;
using L = hn::Vec<Longs>;

I copy(P, I a) {
    return a;
}
I number(std::int32_t value) {
    return hn::Set(Ints(), value);
}
W words(I v) {
    return hn::BitCast(Words(), v);
}
I ints(W v) {
    return hn::BitCast(Ints(), v);
}

I add(P, I a, I b) {
    return hn::Add(a, b);
}
I sub(P, I a, I b) {
    return hn::Sub(a, b);
}
I mul(P, I a, I b) {
    return hn::Mul(a, b);
}
I abs(P, I a) {
    return hn::Abs(a);
}
I max(P, I a, I b) {
    return hn::Max(a, b);
}
I min(P, I a, I b) {
    return hn::Min(a, b);
}
I clamp(P p, I a) {
    return hn::Min(hn::Max(a, number(p.low)), number(p.high));
}
// The smallest INT32 saturates like the others.
I negate(P p, I a) {
    const I negatable = hn::Max(a, number(-0x7FFFFFFF));
    return clamp(p, hn::Sub(number(p.in_zero + p.out_zero), negatable));
}

I bitwise_and(P, I a, I b) {
    return hn::And(a, b);
}
I bitwise_or(P, I a, I b) {
    return hn::Or(a, b);
}
I bitwise_xor(P, I a, I b) {
    return hn::Xor(a, b);
}
I bitwise_not(P, I a) {
    return hn::Not(a);
}
// A guest may have written any byte: all but 0 are true.
I logical_and(P, I a, I b) {
    return truth(hn::And(hn::Ne(a, number(0)), hn::Ne(b, number(0))));
}
I logical_or(P, I a, I b) {
    return truth(hn::Ne(hn::Or(a, b), number(0)));
}
I logical_xor(P, I a, I b) {
    return truth(hn::Xor(hn::Ne(a, number(0)), hn::Ne(b, number(0))));
}
I logical_not(P, I a) {
    return truth(hn::Eq(a, number(0)));
}
I is_not_zero(P, I a) {
    return truth(hn::Ne(a, number(0)));
}
I count_leading_zeros(P, I a) {
    return ints(hn::LeadingZeroCount(words(a)));
}

// `shift` has the bits that count of how far to shift.
I shift_left(P p, I a, I b) {
    return ints(hn::Shl(words(a), words(hn::And(b, number(p.shift)))));
}
I shift_right(P p, I a, I b) {
    return hn::Shr(a, hn::And(b, number(p.shift)));
}
I shift_right_logical(P p, I a, I b) {
    return ints(hn::Shr(words(hn::And(a, number(p.mask))), words(hn::And(b, number(p.shift)))));
}
// Up, where the last bit to leave is set.
I shift_right_rounding(P p, I a, I b) {
    const I far = hn::And(b, number(p.shift));
    const I before = hn::Max(hn::Sub(far, number(1)), number(0));
    const I last = hn::And(hn::Shr(a, before), number(1));
    return hn::Add(hn::Shr(a, far), hn::IfThenZeroElse(hn::Eq(far, number(0)), last));
}

I equal(P, I a, I b) {
    return truth(hn::Eq(a, b));
}
I greater(P, I a, I b) {
    return truth(hn::Gt(a, b));
}
I greater_equal(P, I a, I b) {
    return truth(hn::Ge(a, b));
}
I select(P, I condition, I a, I b) {
    return hn::IfThenElse(hn::Ne(condition, number(0)), a, b);
}

template <int kBits>
I wrap(P, I a) {
    return hn::ShiftRight<32 - kBits>(hn::ShiftLeft<32 - kBits>(a));
}

// The low halves, of which the odd lanes' products make the odd lanes.
I low_halves(L even, L odd) {
    const Ints d;
    return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}

// MUL: 0 < shift < 64.
I mul_shift(P p, I a, I b) {
    const L round = hn::Set(Longs(), std::int64_t{1} << (p.shift - 1));
    return low_halves(hn::ShiftRightSame(hn::Add(hn::MulEven(a, b), round), p.shift),
                      hn::ShiftRightSame(hn::Add(hn::MulOdd(a, b), round), p.shift));
}

// RESCALE of one product: 2 <= shift <= 62.
L scale(P p, L product, L shift) {
    const Longs d;
    const L one = hn::Set(d, 1);
    L round = hn::Shl(one, hn::Sub(shift, one));
    if (p.double_round) {
        const L second = hn::IfThenElseZero(hn::Gt(shift, hn::Set(d, 31)), hn::Set(d, 1 << 30));
        // A product is as negative as the value, or zero, where both ways give zero.
        round = hn::IfThenElse(hn::Lt(product, hn::Zero(d)), hn::Sub(round, second),
                               hn::Add(round, second));
    }
    const L scaled = hn::Shr(hn::Add(product, round), shift);
    return hn::Min(hn::Max(scaled, hn::Set(d, p.low)), hn::Set(d, p.high));
}

I rescale(P p, I value, I multiplier, I shift) {
    const Longs d;
    const I x = hn::Sub(hn::And(value, number(p.mask)), number(p.in_zero));
    const L shifts = hn::BitCast(d, hn::And(shift, number(63)));
    const L even = hn::And(shifts, hn::Set(d, 63));
    const L odd =
        hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(hn::RebindToUnsigned<Longs>(), shifts)));
    // The bounds are those without the zero point, which cannot make it wrap then.
    return hn::Add(low_halves(scale(p, hn::MulEven(x, multiplier), even),
                              scale(p, hn::MulOdd(x, multiplier), odd)),
                   number(p.out_zero));
}

void table(const Arguments& a) {
    const auto* entries = reinterpret_cast<const std::int8_t*>(a.parameters.table);
    const auto* in = a.input<std::int32_t>(0);
    auto* out = a.output<std::int32_t>();
    for (std::size_t i = 0; i < a.count; ++i)
        out[i] = entries[static_cast<std::uint8_t>(in[i] + 128)];
}

BlockFunction find(Code code) {
    switch (code) {
        case Code::Copy:
            return one<Ints, Ints, copy>;
        case Code::AddI:
            return two<Ints, Ints, add>;
        case Code::SubI:
            return two<Ints, Ints, sub>;
        case Code::MulI:
            return two<Ints, Ints, mul>;
        case Code::MulShift:
            return two<Ints, Ints, mul_shift>;
        case Code::AbsI:
            return one<Ints, Ints, abs>;
        case Code::NegateI:
            return one<Ints, Ints, negate>;
        case Code::MaxI:
            return two<Ints, Ints, max>;
        case Code::MinI:
            return two<Ints, Ints, min>;
        case Code::ClampI:
            return one<Ints, Ints, clamp>;
        case Code::And:
            return two<Ints, Ints, bitwise_and>;
        case Code::Or:
            return two<Ints, Ints, bitwise_or>;
        case Code::Xor:
            return two<Ints, Ints, bitwise_xor>;
        case Code::Not:
            return one<Ints, Ints, bitwise_not>;
        case Code::LogicalAnd:
            return two<Ints, Ints, logical_and>;
        case Code::LogicalOr:
            return two<Ints, Ints, logical_or>;
        case Code::LogicalXor:
            return two<Ints, Ints, logical_xor>;
        case Code::LogicalNot:
            return one<Ints, Ints, logical_not>;
        case Code::Clz:
            return one<Ints, Ints, count_leading_zeros>;
        case Code::ShiftLeft:
            return two<Ints, Ints, shift_left>;
        case Code::ShiftRight:
            return two<Ints, Ints, shift_right>;
        case Code::ShiftRightRounding:
            return two<Ints, Ints, shift_right_rounding>;
        case Code::ShiftRightLogical:
            return two<Ints, Ints, shift_right_logical>;
        case Code::EqualI:
            return two<Ints, Ints, equal>;
        case Code::GreaterI:
            return two<Ints, Ints, greater>;
        case Code::GreaterEqualI:
            return two<Ints, Ints, greater_equal>;
        case Code::Select:
            return three<Ints, Ints, select>;
        case Code::Wrap8:
            return one<Ints, Ints, wrap<8>>;
        case Code::Wrap16:
            return one<Ints, Ints, wrap<16>>;
        case Code::IsNotZero:
            return one<Ints, Ints, is_not_zero>;
        case Code::Rescale:
            return three<Ints, Ints, rescale>;
        case Code::Table:
            return table;
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

BlockFunction integer_function(Code code) {
    return HWY_DYNAMIC_DISPATCH(find)(code);
}

}  // namespace cpu::elementwise
#endif
