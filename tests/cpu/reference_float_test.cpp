// SPDX-License-Identifier: MIT
//
// Floating-point functions over whole types: within TOSA's bound, and, as they round once,
// nearly correctly rounded. The truth is computed in the 64-bit significands of long double.
#include <random>

#include "cpu/accuracy.hpp"
#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64);

constexpr DType kTypes[] = {DType::Fp16, DType::Bf16, DType::Fp32};

// All of a narrow type; of FP32 as many, spread over all encodings, and the special ones.
Values inputs(DType type) {
    if (type != DType::Fp32) return every(type);
    Values values = {0.0, -0.0, kInfinity, -kInfinity, kNan, 1, -1, 0x1p-149, 0x1p-126};
    for (std::uint64_t bits = 0; bits < 0x1'0000'0000; bits += 65521)
        values.push_back(tosa::decode_float(type, static_cast<std::uint32_t>(bits)));
    for (double small = -20; small < 20; small += 0x1.01p-9)
        values.push_back(static_cast<float>(small));
    return values;
}

// Far below and above half a unit of the last place, the error of double arithmetic shows.
double half_a_unit(DType type, double truth) {
    return ulps(type, truth, .5 + 1e-5);
}

struct Function {
    Op op;
    long double (*truth)(long double);
};

constexpr Function kFunctions[] = {
    {Op::Ceil, [](long double x) { return std::ceil(x); }},
    {Op::Cos, [](long double x) { return std::cos(x); }},
    {Op::Erf, [](long double x) { return std::erf(x); }},
    {Op::Exp, [](long double x) { return std::exp(x); }},
    {Op::Floor, [](long double x) { return std::floor(x); }},
    {Op::Log, [](long double x) { return std::log(x); }},
    {Op::Reciprocal, [](long double x) { return 1 / x; }},
    {Op::Rsqrt, [](long double x) { return 1 / std::sqrt(x); }},
    {Op::Sigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }},
    {Op::Sin, [](long double x) { return std::sin(x); }},
    {Op::Tanh, [](long double x) { return std::tanh(x); }},
};

TEST_CASE("reference: functions stay within TOSA's bounds") {
    for (const DType type : kTypes)
        for (const Function& function : kFunctions) {
            CAPTURE(tosa::name(type));
            CAPTURE(tosa::name(function.op));
            const Values in = inputs(type);
            const Tensor out = map(function.op, vector(type, in));
            for (std::size_t i = 0; i < in.size(); ++i) {
                const auto truth = static_cast<double>(function.truth(in[i]));
                const double bound = error_bound(function.op, type, in[i], truth);
                const bool near = within(type, out[i], truth, bound) &&
                                  within(type, out[i], truth, half_a_unit(type, truth));
                if (near) continue;
                CAPTURE(in[i]);
                CHECK(out[i] == truth);
            }
        }
}

TEST_CASE("reference: infinities, zeros and NaN") {
    struct Case {
        Op op;
        Values expected;  // of -infinity, infinity, -0, 0, NaN and -1
    };
    const Case cases[] = {
        {Op::Abs, {kInfinity, kInfinity, 0, 0, kNan, 1}},
        {Op::Ceil, {-kInfinity, kInfinity, -0.0, 0, kNan, -1}},
        {Op::Floor, {-kInfinity, kInfinity, -0.0, 0, kNan, -1}},
        {Op::Exp, {0, kInfinity, 1, 1, kNan}},
        {Op::Log, {kNan, kInfinity, -kInfinity, -kInfinity, kNan, kNan}},
        {Op::Negate, {kInfinity, -kInfinity, 0, -0.0, kNan, 1}},
        {Op::Reciprocal, {-0.0, 0, -kInfinity, kInfinity, kNan, -1}},
        {Op::Rsqrt, {kNan, 0, -kInfinity, kInfinity, kNan, kNan}},
        {Op::Sigmoid, {0, 1, .5, .5, kNan}},
        {Op::Sin, {kNan, kNan, -0.0, 0, kNan}},
        {Op::Cos, {kNan, kNan, 1, 1, kNan}},
        {Op::Tanh, {-1, 1, -0.0, 0, kNan}},
        {Op::Erf, {-1, 1, -0.0, 0, kNan}},
    };
    for (const DType type : kTypes)
        for (const Case& each : cases) {
            CAPTURE(tosa::name(each.op));
            Values in = {-kInfinity, kInfinity, -0.0, 0.0, kNan, -1};
            in.resize(each.expected.size());
            const Tensor zero = vector(type, {0});
            std::vector<Tensor> operands = {vector(type, in)};
            if (each.op == Op::Negate) operands.insert(operands.end(), {zero, zero});
            check_same(call(each.op, operands, type, operands[0].dims), each.expected);
        }
}

TEST_CASE("reference: ABS and NEGATE of every half are exact") {
    for (const DType type : {DType::Fp16, DType::Bf16}) {
        Values magnitude;
        Values negative;
        for (const double value : every(type)) {
            magnitude.push_back(std::fabs(value));
            negative.push_back(-value);
        }
        const Tensor in = vector(type, every(type));
        const Tensor zero = vector(type, {0});
        check_same(map(Op::Abs, in), magnitude);
        check_same(call(Op::Negate, {in, zero, zero}, type, in.dims), negative);
    }
}

TEST_CASE("reference: POW stays within TOSA's bound") {
    std::mt19937 generator(9);
    std::uniform_real_distribution<double> logarithm(-20, 20);
    std::uniform_real_distribution<double> uniform(-8, 8);
    for (const DType type : kTypes) {
        Values base;
        Values exponent;
        for (int i = 0; i < 20000; ++i) {
            base.push_back(std::exp2(logarithm(generator)));
            exponent.push_back(uniform(generator));
        }
        const Tensor x = vector(type, base);
        const Tensor y = vector(type, exponent);
        const Tensor out = call(Op::Pow, {x, y}, type, x.dims);
        for (std::size_t i = 0; i < base.size(); ++i) {
            if (x[i] == 0) continue;
            const auto truth = static_cast<double>(
                std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i])));
            const bool near = within(type, out[i], truth, power_bound(type, x[i], y[i], truth)) &&
                              within(type, out[i], truth, half_a_unit(type, truth));
            if (near) continue;
            CAPTURE(x[i]);
            CAPTURE(y[i]);
            CHECK(out[i] == truth);
        }
    }
}

}  // namespace
}  // namespace cpu::test
