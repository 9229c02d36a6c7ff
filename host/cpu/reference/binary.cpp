// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>

#include "cpu/reference/elementwise.hpp"
#include "cpu/reference/extremum.hpp"
#include "cpu/reference/rows.hpp"
#include "cpu/reference/saturate.hpp"

namespace cpu::reference {
namespace {

using tosa::Op;

// The inputs' elements are read by `kRead`, as numbers of one kind.
template <auto kRead, class Function>
void pairs_of(const Call& call, std::uint64_t first, std::uint64_t last, Function function) {
    const auto& out = call.outputs[0];
    const auto& a = call.inputs[0];
    const auto& b = call.inputs[1];
    for (std::uint64_t i = first; i < last; ++i)
        put(out, i,
            function((a.*kRead)(broadcast(out.is, a.is, i)),
                     (b.*kRead)(broadcast(out.is, b.is, i))));
}

template <class Function>
void real_pairs(const Call& call, std::uint64_t first, std::uint64_t last, Function function) {
    pairs_of<&Input::real>(call, first, last, function);
}
template <class Function>
void integer_pairs(const Call& call, std::uint64_t first, std::uint64_t last, Function function) {
    pairs_of<&Input::integer>(call, first, last, function);
}

template <class Function>
void pairs(const Call& call, std::uint64_t first, std::uint64_t last, Function function) {
    if (call.inputs[0].is.is_float())
        real_pairs(call, first, last, function);
    else
        integer_pairs(call, first, last, function);
}

template <auto kFunction>
void numbers(const Call& call, std::uint64_t first, std::uint64_t last) {
    pairs(call, first, last, kFunction);
}

template <auto kFunction>
void integers(const Call& call, std::uint64_t first, std::uint64_t last) {
    integer_pairs(call, first, last, kFunction);
}

// IEEE's pow() also where TOSA leaves the result open: a negative or zero base, infinities
// and NaN.
void power(const Call& call, std::uint64_t first, std::uint64_t last) {
    real_pairs(call, first, last, [](double a, double b) { return std::pow(a, b); });
}

// TOSA MUL: an INT32 product is rounded to the nearest, ties up, and shifted. An INT32
// that it does not fit, which TOSA leaves open, and a product that is not shifted keep
// their low bits.
void multiply(const Call& call, std::uint64_t first, std::uint64_t last) {
    const std::int64_t shift = std::clamp<std::int64_t>(call.inputs[2].integer(0), 0, 63);
    if (shift == 0 || call.inputs[0].is.type != tosa::DType::Int32)
        return numbers<std::multiplies{}>(call, first, last);
    // Halved last, because the product and the rounding term need not fit 64 bits together.
    integer_pairs(call, first, last, [shift](std::int64_t a, std::int64_t b) {
        return ((a * b >> (shift - 1)) + 1) >> 1;
    });
}

void take_maximum(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto mode = nan_mode(call.op.attribute_as_MaximumAttribute()->nan_mode());
    pairs(call, first, last, [mode](auto a, auto b) { return maximum(a, b, mode); });
}

void take_minimum(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto mode = nan_mode(call.op.attribute_as_MinimumAttribute()->nan_mode());
    pairs(call, first, last, [mode](auto a, auto b) { return minimum(a, b, mode); });
}

// Where TOSA leaves the result open: nothing divided by zero, and the quotient that does
// not fit INT32 wraps.
std::int64_t divide(std::int64_t a, std::int64_t b) {
    return b == 0 ? 0 : a / b;
}

// TOSA leaves shifts by less than zero or by the width and more open: here they are taken
// modulo the width.
template <class Function>
void shift_pairs(const Call& call, std::uint64_t first, std::uint64_t last, Function function) {
    const std::int64_t mask = integer_bits(call.outputs[0].is.type) - 1;
    integer_pairs(call, first, last, [function, mask](std::int64_t value, std::int64_t amount) {
        return function(value, amount & mask);
    });
}

void arithmetic_right_shift(const Call& call, std::uint64_t first, std::uint64_t last) {
    const bool round = call.op.attribute_as_ArithmeticRightShiftAttribute()->round();
    shift_pairs(call, first, last, [round](std::int64_t value, std::int64_t amount) {
        if (!round || amount == 0) return value >> amount;
        return (value >> amount) + (value >> (amount - 1) & 1);
    });
}

void logical_left_shift(const Call& call, std::uint64_t first, std::uint64_t last) {
    shift_pairs(call, first, last,
                [](std::int64_t value, std::int64_t amount) { return value << amount; });
}

void logical_right_shift(const Call& call, std::uint64_t first, std::uint64_t last) {
    const std::int64_t mask = unsigned_range(call.outputs[0].is.type).max;
    shift_pairs(call, first, last, [mask](std::int64_t value, std::int64_t amount) {
        return (value & mask) >> amount;
    });
}

bool exclusive_or(std::int64_t a, std::int64_t b) {
    return (a != 0) != (b != 0);
}

constexpr Row kRows[] = {
    // INT32 sums, differences and products that do not fit, which TOSA leaves open, wrap.
    {Op::Add, numbers<std::plus{}>, one_step},
    {Op::Sub, numbers<std::minus{}>, one_step},
    {Op::Mul, multiply, one_step},
    {Op::Pow, power, one_step},
    {Op::Maximum, take_maximum, one_step},
    {Op::Minimum, take_minimum, one_step},
    {Op::IntDiv, integers<divide>, one_step},
    {Op::ArithmeticRightShift, arithmetic_right_shift, one_step},
    {Op::LogicalLeftShift, logical_left_shift, one_step},
    {Op::LogicalRightShift, logical_right_shift, one_step},
    {Op::BitwiseAnd, integers<std::bit_and{}>, one_step},
    {Op::BitwiseOr, integers<std::bit_or{}>, one_step},
    {Op::BitwiseXor, integers<std::bit_xor{}>, one_step},
    // Every byte but 0 is true, as a guest may have written any.
    {Op::LogicalAnd, integers<std::logical_and{}>, one_step},
    {Op::LogicalOr, integers<std::logical_or{}>, one_step},
    {Op::LogicalXor, integers<exclusive_or>, one_step},
    {Op::Equal, numbers<std::equal_to{}>, one_step},
    {Op::Greater, numbers<std::greater{}>, one_step},
    {Op::GreaterEqual, numbers<std::greater_equal{}>, one_step},
};

}  // namespace

std::span<const Row> binary_rows() {
    return kRows;
}

}  // namespace cpu::reference
