// SPDX-License-Identifier: MIT
//
// The accuracy of transcendental operators (providers.md 2.2 and 3.10), which are the
// shaders' own and so the same on every device.
#include <cmath>
#include <limits>
#include <random>

#include "cpu/accuracy.hpp"
#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

constexpr Op kUnary[] = {Op::Reciprocal, Op::Rsqrt, Op::Exp,  Op::Log, Op::Sigmoid,
                         Op::Sin,        Op::Cos,   Op::Tanh, Op::Erf};

double truth(Op op, double x) {
    switch (op) {
        case Op::Reciprocal:
            return 1 / x;
        case Op::Rsqrt:
            return 1 / std::sqrt(x);
        case Op::Exp:
            return std::exp(x);
        case Op::Log:
            return std::log(x);
        case Op::Sigmoid:
            return 1 / (1 + std::exp(-x));
        case Op::Sin:
            return std::sin(x);
        case Op::Cos:
            return std::cos(x);
        case Op::Tanh:
            return std::tanh(x);
        default:
            return std::erf(x);
    }
}

// What the shaders promise, in units of the last place. RSQRT is the device's own.
double units(Op op) {
    switch (op) {
        case Op::Reciprocal:
            return 0.5;
        case Op::Exp:
        case Op::Log:
            return 1;
        case Op::Sigmoid:
        case Op::Erf:
            return 3;
        default:
            return 2;
    }
}

// 3000 within 40, 1000 within 8000, and what is special.
Floats samples() {
    std::minstd_rand random(20261130);
    Floats values;
    const auto within = [&](float bound) {
        return std::uniform_real_distribution<float>(-bound, bound)(random);
    };
    for (int i = 0; i < 3000; ++i)
        values.push_back(within(40));
    for (int i = 0; i < 1000; ++i)
        values.push_back(within(8000));
    // Near zeros of sine and cosine, where a careless reduction loses its last places.
    for (int i = 1; i <= 40; ++i)
        values.push_back(static_cast<float>(i * 1.5707963267948966));
    constexpr float kMax = std::numeric_limits<float>::max();
    for (const float x : {505.796417F, 1e6F, 8192.0F, 1e20F, kMax, 0x1p-126F, 1e-30F, 0.625F, 1.0F,
                          0x1p-12F, 88.7F, 88.8F, 103.0F, 110.0F, 4.0F, 3.99999F, 0.7853982F})
        for (const float sign : {1.0F, -1.0F})
            values.push_back(x * sign);
    values.resize(4096, 0.5F);
    return values;
}

const Floats kEdges{0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1.0F, -1.0F};

Floats run_unary(Oracle& oracle, Op op, const Floats& values) {
    const auto extent = static_cast<std::int32_t>(values.size());
    GraphBuilder builder;
    builder.input("x", {extent}).output("y", {extent}).op(op, {"x"}, {"y"});
    const auto file = builder.file();
    const auto graph = tosa::build_graph(file, tosa::kFloatTarget);
    REQUIRE(graph);
    return values_of<float>(oracle.on_device(*graph, {bytes_of(values)})[0]);
}

}  // namespace

TEST_SUITE("vulkan/transcendental" * doctest::skip(skipped())) {
    TEST_CASE("every FP16 operand gives what is within a unit of the nearest FP16 number") {
        Rig rig;
        Oracle oracle(rig);
        const auto operand = vector_of(DType::Fp16, every(DType::Fp16));
        for (const Op op : kUnary)
            oracle.check(op, {operand}, DType::Fp16, operand.dims, {}, {.ulp = 1});
    }

    TEST_CASE("FP32 stays within what the shaders promise, and TOSA wants") {
        Rig rig;
        Oracle oracle(rig);
        const Floats values = samples();
        for (const Op op : kUnary) {
            CAPTURE(static_cast<int>(op));
            const Floats got = run_unary(oracle, op, values);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double x = values[i], expected = truth(op, x);
                const double bound =
                    std::min(cpu::test::ulps(DType::Fp32, expected, units(op)) * (1 + 1e-9),
                             cpu::test::error_bound(op, DType::Fp32, x, expected));
                if (cpu::test::within(DType::Fp32, got[i], expected, bound)) continue;
                ++wrong;
                INFO("of " << x << ": " << got[i] << " instead of " << expected);
                CHECK(wrong > 3);  // the first few are shown
            }
            CHECK(wrong == 0);
        }
    }

    TEST_CASE("zeros, infinities and NaN give exactly what they have to") {
        Rig rig;
        Oracle oracle(rig);
        for (const Op op : kUnary) {
            CAPTURE(static_cast<int>(op));
            const Floats got = run_unary(oracle, op, kEdges);
            for (std::size_t i = 0; i < kEdges.size() - 2; ++i) {
                CAPTURE(kEdges[i]);
                const auto expected = static_cast<float>(truth(op, kEdges[i]));
                if (std::isnan(expected))
                    CHECK(std::isnan(got[i]));
                else
                    CHECK(std::bit_cast<std::uint32_t>(got[i]) ==
                          std::bit_cast<std::uint32_t>(expected));
            }
        }
        CHECK(std::bit_cast<std::uint32_t>(run_unary(oracle, Op::Log, {1.0F})[0]) == 0);
    }

    TEST_CASE("POW has IEEE's answers to special operands and stays within TOSA's bound") {
        Rig rig;
        Oracle oracle(rig);
        Floats special{0.0F,  -0.0F,      1.0F,  -1.0F,   INFINITY,     -INFINITY,
                       NAN,   2.0F,       -2.0F, 3.0F,    -3.0F,        0.5F,
                       -0.5F, 8388609.0F, -1.5F, 0x1p24F, -16777215.0F, 0x1p-100F};
        Floats a, b;
        for (const float x : special)
            for (const float y : special) {
                a.push_back(x);
                b.push_back(y);
            }
        const std::size_t exact = a.size();
        std::minstd_rand random(7);
        std::uniform_real_distribution<float> base(0.01F, 30.0F), exponent(-25.0F, 25.0F);
        for (int i = 0; i < 4000; ++i) {
            a.push_back(base(random));
            b.push_back(exponent(random));
        }
        const auto extent = static_cast<std::int32_t>(a.size());
        GraphBuilder builder;
        builder.input("a", {extent}).input("b", {extent}).output("c", {extent});
        builder.op(Op::Pow, {"a", "b"}, {"c"});
        const auto file = builder.file();
        const auto graph = tosa::build_graph(file, tosa::kFloatTarget);
        REQUIRE(graph);
        const auto got = values_of<float>(oracle.on_device(*graph, {bytes_of(a), bytes_of(b)})[0]);
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double expected = std::pow(double{a[i]}, double{b[i]});
            const auto rounded = static_cast<float>(expected);
            INFO("pow(" << a[i] << ", " << b[i] << ") is " << got[i] << ", not " << expected);
            if (i < exact && (std::isnan(rounded) || std::isinf(rounded) || rounded == 0)) {
                CHECK(std::isnan(got[i]) == std::isnan(rounded));
                if (std::isnan(rounded)) continue;
                CHECK(std::bit_cast<std::uint32_t>(got[i]) ==
                      std::bit_cast<std::uint32_t>(rounded));
                continue;
            }
            CHECK(std::signbit(got[i]) == std::signbit(expected));
            const double magnitude = std::abs(expected);
            CHECK(cpu::test::within(
                DType::Fp32, std::abs(got[i]), magnitude,
                cpu::test::power_bound(DType::Fp32, std::abs(a[i]), b[i], magnitude)));
        }
    }

    TEST_CASE("POW of FP16 numbers is within a unit of the nearest") {
        Rig rig;
        Oracle oracle(rig);
        // Bases above 0 and every exponent, each some thousand times.
        std::vector<std::uint16_t> a, b;
        std::minstd_rand random(8);
        for (int i = 0; i < 100'000; ++i) {
            a.push_back(static_cast<std::uint16_t>(random() % 0x7C01));
            b.push_back(static_cast<std::uint16_t>(random()));
        }
        const auto x = vector_of(DType::Fp16, bytes_of(a)), y = vector_of(DType::Fp16, bytes_of(b));
        oracle.check(Op::Pow, {x, y}, DType::Fp16, x.dims, {}, {.ulp = 1});
    }
}
