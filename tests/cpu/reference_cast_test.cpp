// SPDX-License-Identifier: MIT
#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

using enum DType;

Tensor cast(const Tensor& in, DType to) {
    return call(Op::Cast, {in}, to, in.dims);
}

// To the nearest, ties to even, without rint().
double nearest(double value) {
    const double below = std::floor(value);
    const double rest = value - below;
    const bool odd = std::fmod(below, 2) != 0;
    return rest > .5 || (rest == .5 && odd) ? below + 1 : below;
}

double expected_integer(DType to, double value) {
    if (std::isnan(value)) return 0;
    const double end = std::ldexp(1, static_cast<int>(8 * tosa::buffer_bytes(to, 1)) - 1);
    if (value >= end) return end - 1;
    if (value <= -end) return -end;
    return std::fmin(nearest(value), end - 1) + 0.0;  // integers have no negative zero
}

TEST_CASE("reference: CAST of every half to every integer, and of ties of FP32") {
    for (const DType to : {Int8, Int16, Int32}) {
        CAPTURE(tosa::name(to));
        for (const DType from : {Fp16, Bf16, Fp32}) {
            CAPTURE(tosa::name(from));
            Values in = every(from == Fp32 ? Fp16 : from);
            if (from == Fp32) {
                for (int i = -70000; i < 70000; ++i)
                    in.push_back(i / 2.0);
                for (const double edge : {0x1p31, 0x1p31 - 128, 0x1p40, 0x1p23 - .5, 0x1p126}) {
                    in.push_back(edge);
                    in.push_back(-edge);
                }
            }
            Values expected;
            for (const double value : in)
                expected.push_back(expected_integer(to, value));
            check_same(cast(vector(from, in), to), expected);
        }
    }
    check_same(cast(vector(Fp32, {127.5, 126.5, -128.5, -129, .5, 1.5, -.5, kInfinity}), Int8),
               {127, 126, -128, -128, 0, 2, 0, 127});
}

// What lies between two neighbours of the narrower type goes to the even one, what lies
// above the middle to the upper one: from each number up to the largest, whose upper
// neighbour is infinity, or NaN where there is none.
void check_narrowing(DType from, DType to) {
    CAPTURE(tosa::name(from));
    CAPTURE(tosa::name(to));
    const Values narrow = every(to);
    const double quantum =
        std::ldexp(1, 1 - tosa::float_format(from).bias() - tosa::float_format(from).fraction_bits);
    Values in;
    Values expected;
    const auto add = [&](double value, std::uint32_t bits) {
        for (const double sign : {1.0, -1.0}) {
            in.push_back(sign * value);
            expected.push_back(sign * narrow[bits]);
        }
    };
    for (std::uint32_t bits = 1; std::isfinite(narrow[bits]); ++bits) {
        const double tie = std::isfinite(narrow[bits + 1])
                               ? (narrow[bits] + narrow[bits + 1]) / 2
                               : narrow[bits] + (narrow[bits] - narrow[bits - 1]) / 2;
        const double step = std::fmax(
            quantum, std::ldexp(1, std::ilogb(tie) - tosa::float_format(from).fraction_bits));
        add(tie, bits + (bits & 1));
        add(tie - step, bits);
        add(tie + step, bits + 1);
    }
    for (const double value : {0.0, narrow[1] / 2, narrow[1] / 4})
        add(value, 0);  // half of the smallest ties to zero
    check_same(cast(vector(from, in), to), expected);
}

TEST_CASE("reference: CAST to narrower floats rounds to the nearest, ties to even") {
    check_narrowing(Fp32, Fp16);
    for (const DType from : {Fp16, Bf16, Fp32})
        for (const DType to : {Fp8E4M3, Fp8E5M2})
            check_narrowing(from, to);
    check_same(cast(vector(Fp32, {0x1.01p0, 0x1.03p0, 0x1.0101p0, 0x1.fffp127, -0x1p-140}), Bf16),
               {1, 0x1.04p0, 0x1.02p0, kInfinity, -0.0});
    // FP8 does not saturate.
    check_same(cast(vector(Fp32, {464, 465, -465, 1e9, kInfinity, kNan}), Fp8E4M3),
               {448, kNan, kNan, kNan, kNan, kNan});
    check_same(cast(vector(Fp16, {61408, 61440, -61440, kInfinity, kNan}), Fp8E5M2),
               {57344, kInfinity, -kInfinity, kInfinity, kNan});
}

TEST_CASE("reference: CAST of every half to every float") {
    const Values halves = every(Fp16);
    check_same(cast(vector(Fp16, halves), Fp32), halves);
    check_same(cast(vector(Fp32, halves), Fp16), halves);
    check_same(cast(vector(Bf16, every(Bf16)), Fp32), every(Bf16));
    check_same(cast(vector(Fp32, every(Bf16)), Bf16), every(Bf16));
    for (const DType to : {Fp8E4M3, Fp8E5M2}) {
        CAPTURE(tosa::name(to));
        // The nearest of the 256, found by looking at all of them.
        const Values narrow = every(to);
        const Tensor out = cast(vector(Fp16, halves), to);
        for (std::size_t i = 0; i < halves.size(); ++i) {
            const double value = halves[i];
            if (!std::isfinite(out[i]) || !std::isfinite(value)) continue;
            const double error = std::fabs(out[i] - value);
            bool nearest_of_all = std::signbit(out[i]) == std::signbit(value);
            for (const double other : narrow)
                nearest_of_all = nearest_of_all && !(std::fabs(other - value) < error);
            if (!nearest_of_all) FAIL_CHECK("FP16 number " << i);
        }
    }
}

TEST_CASE("reference: CAST of every FP8 to wider floats and back") {
    for (const DType from : {Fp8E4M3, Fp8E5M2})
        for (const DType to : {Fp16, Bf16, Fp32}) {
            CAPTURE(tosa::name(from));
            CAPTURE(tosa::name(to));
            const Values all = every(from);
            const Tensor wide = cast(vector(from, all), to);
            check_same(wide, all);
            const Tensor back = cast(wide, from);
            for (std::uint32_t bits = 0; bits < 256; ++bits)
                if (!std::isnan(all[bits])) CHECK(back.bits(bits) == bits);
            check_same(back, all);
        }
}

TEST_CASE("reference: CAST of integers to floats") {
    const Values bytes = sequence(-128, 256);
    const Values shorts = sequence(-32768, 65536);
    for (const DType to : {Fp16, Bf16, Fp32})
        check_same(cast(vector(Int8, bytes), to), bytes);
    check_same(cast(vector(Int16, shorts), Fp32), shorts);
    Values halves;
    for (const double value : shorts)
        halves.push_back(static_cast<double>(static_cast<_Float16>(value)));
    check_same(cast(vector(Int16, shorts), Fp16), halves);

    const Values wide = sequence(-2147483648.0, 65536, 65537 - .5);  // cut to integers
    Values floats;
    for (const double value : wide)
        floats.push_back(static_cast<float>(static_cast<std::int32_t>(value)));
    check_same(cast(vector(Int32, wide), Fp32), floats);
    check_same(cast(vector(Int32, {16777217, 16777219, -16777217, 2147483647}), Fp32),
               {16777216, 16777220, -16777216, 0x1p31});
    check_same(cast(vector(Int32, {65519, 65520, -65520, 2147483647}), Fp16),
               {65504, kInfinity, -kInfinity, kInfinity});
    check_same(cast(vector(Int32, {257, 259, -257, 2147483647}), Bf16), {256, 260, -256, 0x1p31});
    check_same(cast(vector(Int16, {257, 259, 32767}), Bf16), {256, 260, 32768});
}

TEST_CASE("reference: CAST between integers and BOOL") {
    const Tensor logic = vector(Bool, {0, 1, 2, -1});  // any byte but 0 is true
    for (const DType to : {Int8, Int16, Int32}) {
        check_same(cast(logic, to), {0, 1, 1, 1});
        check_same(cast(vector(to, {0, 1, -1, 64}), Bool), {0, 1, 1, 1});
    }
    check_same(cast(vector(Int32, {256, 65536, -2147483648.0}), Bool), {1, 1, 1});
    check_same(cast(vector(Int16, {256}), Bool), {1});
    check_same(cast(vector(Int8, {-128, 127}), Int16), {-128, 127});
    check_same(cast(vector(Int8, {-128, 127}), Int32), {-128, 127});
    check_same(cast(vector(Int16, {-32768, 32767}), Int32), {-32768, 32767});
    // Narrower ones keep the low bits.
    check_same(cast(vector(Int16, {200, 256, -129}), Int8), {-56, 0, 127});
    check_same(cast(vector(Int32, {200, 65535, -129}), Int8), {-56, -1, 127});
    check_same(cast(vector(Int32, {40000, 65536, -32769}), Int16), {-25536, 0, 32767});
}

}  // namespace
}  // namespace cpu::test
