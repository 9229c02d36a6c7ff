// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdlib>

#include "cpu/reference/elementwise.hpp"
#include "cpu/reference/extremum.hpp"
#include "cpu/reference/rows.hpp"
#include "cpu/reference/saturate.hpp"

namespace cpu::reference {
namespace {

using tosa::NanMode;
using tosa::Op;

template <auto kFunction>
void reals(const Call& call, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i)
        call.outputs[0].put_real(i, kFunction(call.inputs[0].real(i)));
}

template <auto kFunction>
void integers(const Call& call, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i)
        put(call.outputs[0], i, kFunction(call.inputs[0].integer(i)));
}

template <auto kFunction>
void numbers(const Call& call, std::uint64_t first, std::uint64_t last) {
    if (call.inputs[0].is.is_float())
        reals<kFunction>(call, first, last);
    else
        integers<kFunction>(call, first, last);
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// TOSA leaves the negative of the smallest INT32 open; it saturates like the others.
void negate(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Output& out = call.outputs[0];
    // Zero points of floats are zero, and adding one would lose the sign of a zero.
    if (out.is.is_float()) return reals<[](double x) { return -x; }>(call, first, last);

    const std::int64_t in_zero = call.inputs[1].integer(0);
    const std::int64_t out_zero = call.inputs[2].integer(0);
    const Range range = signed_range(out.is.type);
    for (std::uint64_t i = first; i < last; ++i)
        out.put_integer(i, range.saturate(in_zero - call.inputs[0].integer(i) + out_zero));
}

const std::byte* bound(const flatbuffers::Vector<std::uint8_t>& bytes) {
    return reinterpret_cast<const std::byte*>(bytes.data());
}

// TOSA CLAMP: an ignored NaN becomes the lower bound.
void clamp(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto& attribute = *call.op.attribute_as_ClampAttribute();
    const NanMode mode = nan_mode(attribute.nan_mode());
    const Input& in = call.inputs[0];
    const Input low{in.is, bound(*attribute.min_val())};
    const Input high{in.is, bound(*attribute.max_val())};
    const auto clamped = [mode](auto x, auto min, auto max) {
        return minimum(maximum(x, min, mode), max, mode);
    };
    for (std::uint64_t i = first; i < last; ++i) {
        if (in.is.is_float())
            put(call.outputs[0], i, clamped(in.real(i), low.real(0), high.real(0)));
        else
            put(call.outputs[0], i, clamped(in.integer(i), low.integer(0), high.integer(0)));
    }
}

constexpr Row kRows[] = {
    // The absolute value of the smallest INT32, which TOSA leaves open, wraps to itself.
    {Op::Abs, numbers<[](auto x) { return std::abs(x); }>, one_step},
    {Op::BitwiseNot, integers<[](std::int64_t x) { return ~x; }>, one_step},
    {Op::Ceil, reals<[](double x) { return std::ceil(x); }>, one_step},
    {Op::Clamp, clamp, one_step},
    {Op::Clz,
     integers<[](std::int64_t x) { return std::countl_zero(static_cast<std::uint32_t>(x)); }>,
     one_step},
    {Op::Cos, reals<[](double x) { return std::cos(x); }>, one_step},
    {Op::Erf, reals<[](double x) { return std::erf(x); }>, one_step},
    {Op::Exp, reals<[](double x) { return std::exp(x); }>, one_step},
    {Op::Floor, reals<[](double x) { return std::floor(x); }>, one_step},
    {Op::Log, reals<[](double x) { return std::log(x); }>, one_step},
    {Op::LogicalNot, integers<[](std::int64_t x) { return x == 0; }>, one_step},
    {Op::Negate, negate, one_step},
    {Op::Reciprocal, reals<[](double x) { return 1 / x; }>, one_step},
    {Op::Rsqrt, reals<[](double x) { return 1 / std::sqrt(x); }>, one_step},
    {Op::Sigmoid, reals<sigmoid>, one_step},
    {Op::Sin, reals<[](double x) { return std::sin(x); }>, one_step},
    {Op::Tanh, reals<[](double x) { return std::tanh(x); }>, one_step},
};

}  // namespace

std::span<const Row> unary_rows() {
    return kRows;
}

}  // namespace cpu::reference
