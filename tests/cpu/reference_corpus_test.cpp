// SPDX-License-Identifier: MIT
//
// The numerical corpus (providers.md 6.2 to 6.4), as far as operators of elements,
// reductions and conversions go.
#include <string>

#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

constexpr double kLn2 = 0.69314718;

// providers.md 6.1: class T, and exact.
constexpr bool kNear = true;
constexpr bool kExact = false;

void check_near(const Tensor& actual, const Values& expected) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        const double error = std::fabs(actual[i] - expected[i]);
        if (expected[i] == 0)
            CHECK(same(actual[i], expected[i]));
        else
            CHECK((error <= 1e-6 || error <= 4e-6 * std::fabs(expected[i])));
    }
}

void check(const Tensor& actual, const Values& expected, bool near) {
    near ? check_near(actual, expected) : check_same(actual, expected);
}

struct Case {
    Op op;
    Values expected;
    bool near = kExact;
};

TEST_CASE("corpus: FP32 unary") {
    const Case cases[] = {
        {Op::Abs, {.5, 1, 2, 4}},
        {Op::Ceil, {1, 1, 2, 4}},
        {Op::Floor, {0, 1, 2, 4}},
        {Op::Cos, {.87758255, .5403023, -.41614684, -.6536436}, kNear},
        {Op::Sin, {.47942555, .84147096, .9092974, -.7568025}, kNear},
        {Op::Exp, {1.6487212, 2.7182817, 7.389056, 54.59815}, kNear},
        {Op::Log, {-kLn2, 0, kLn2, 2 * kLn2}, kNear},
        {Op::Reciprocal, {2, 1, .5, .25}, kNear},
        {Op::Rsqrt, {1.41421356, 1, .70710678, .5}, kNear},
        {Op::Sigmoid, {.62245935, .7310586, .8807971, .98201376}, kNear},
        {Op::Tanh, {.46211716, .7615942, .9640276, .9993293}, kNear},
        {Op::Erf, {.5204999, .8427008, .9953223, 1.0}, kNear},
    };
    const Tensor in = vector(DType::Fp32, {.5, 1, 2, 4});
    for (const Case& each : cases) {
        CAPTURE(tosa::name(each.op));
        check(map(each.op, in), each.expected, each.near);
    }
    const Tensor zero = vector(DType::Fp32, {0});
    check_same(call(Op::Negate, {in, zero, zero}, DType::Fp32, {4}), {-.5, -1, -2, -4});
    check_same(map(Op::Clamp, in, clamp_attribute(DType::Fp32, -1, 1)), {.5, 1, 1, 1});
}

TEST_CASE("corpus: FP32 and FP16 binary") {
    const Case cases[] = {
        {Op::Add, {3, 4, 5, 5, 6, 7}},     {Op::Sub, {1, 0, -1, 3, 2, 1}},
        {Op::Maximum, {2, 2, 3, 4, 4, 4}}, {Op::Minimum, {1, 2, 2, 1, 2, 3}},
        {Op::Mul, {2, 4, 6, 4, 8, 12}},    {Op::Pow, {2, 4, 8, 4, 16, 64}, kNear},
    };
    for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16}) {
        std::vector<Tensor> inputs = {Tensor(type, {2, 1}, {2, 4}), Tensor(type, {1, 3}, {1, 2, 3}),
                                      vector(DType::Int8, {0})};
        for (const Case& each : cases) {
            CAPTURE(tosa::name(each.op));
            inputs.resize(each.op == Op::Mul ? 3 : 2, vector(DType::Int8, {0}));
            check(call(each.op, inputs, type, {2, 3}, nan_attribute(NanMode::Propagate)),
                  each.expected, each.near);
        }
    }
}

TEST_CASE("corpus: comparisons, logic and SELECT") {
    for (const DType type : {DType::Fp32, DType::Fp16}) {
        const Tensor a = vector(type, {1, 2, 3, 4});
        const Tensor b = vector(type, {1, 3, 2, 4});
        check_same(call(Op::Equal, {a, b}, DType::Bool, {4}), {1, 0, 0, 1});
        check_same(call(Op::Greater, {a, b}, DType::Bool, {4}), {0, 0, 1, 0});
        check_same(call(Op::GreaterEqual, {a, b}, DType::Bool, {4}), {1, 0, 1, 1});
        check_same(
            call(Op::Select, {vector(DType::Bool, {0, 1, 0, 1}), a, vector(type, {5, 6, 7, 8})},
                 type, {4}),
            {5, 2, 7, 4});
    }
    const Tensor a = vector(DType::Bool, {0, 0, 1, 1});
    const Tensor b = vector(DType::Bool, {0, 1, 0, 1});
    check_same(call(Op::LogicalAnd, {a, b}, DType::Bool, {4}), {0, 0, 0, 1});
    check_same(call(Op::LogicalOr, {a, b}, DType::Bool, {4}), {0, 1, 1, 1});
    check_same(call(Op::LogicalXor, {a, b}, DType::Bool, {4}), {0, 1, 1, 0});
    check_same(map(Op::LogicalNot, a), {1, 1, 0, 0});
}

TEST_CASE("corpus: FP32 and FP16 reductions") {
    const Case cases[] = {
        {Op::ReduceMax, {3, 4}},
        {Op::ReduceMin, {1, -1}},
        {Op::ReduceProduct, {6, -8}},
        {Op::ReduceSum, {6, 5}},
    };
    for (const DType type : {DType::Fp32, DType::Fp16}) {
        const Tensor in = Tensor(type, {2, 3}, {1, 3, 2, -1, 4, 2});
        for (const Case& each : cases) {
            CAPTURE(tosa::name(each.op));
            check_same(call(each.op, {in}, type, {2, 1}, axis_attribute(1)), each.expected);
        }
        check_same(call(Op::Argmax, {in}, DType::Int32, {2}, axis_attribute(1)), {1, 1});
    }
}

TEST_CASE("corpus: FP16 unary, within the units of the last place listed there") {
    struct Half {
        Op op;
        std::uint32_t bits[4];
        std::uint32_t ulp;
    };
    const Half cases[] = {
        {Op::Abs, {0x3800, 0x3C00, 0x4000, 0x4400}, 0},
        {Op::Ceil, {0x3C00, 0x3C00, 0x4000, 0x4400}, 0},
        {Op::Floor, {0x0000, 0x3C00, 0x4000, 0x4400}, 0},
        {Op::Negate, {0xB800, 0xBC00, 0xC000, 0xC400}, 0},
        {Op::Clamp, {0x3800, 0x3C00, 0x3C00, 0x3C00}, 0},
        {Op::Cos, {0x3B05, 0x3853, 0xB6A9, 0xB93B}, 8},
        {Op::Sin, {0x37AC, 0x3ABB, 0x3B46, 0xBA0E}, 8},
        {Op::Exp, {0x3E98, 0x4170, 0x4764, 0x52D3}, 4},
        {Op::Log, {0xB98C, 0x0000, 0x398C, 0x3D8C}, 4},
        {Op::Reciprocal, {0x4000, 0x3C00, 0x3800, 0x3400}, 2},
        {Op::Rsqrt, {0x3DA8, 0x3C00, 0x39A8, 0x3800}, 4},
        {Op::Sigmoid, {0x38FB, 0x39D9, 0x3B0C, 0x3BDB}, 4},
        {Op::Tanh, {0x3765, 0x3A18, 0x3BB6, 0x3BFF}, 4},
    };
    const Tensor in = vector(DType::Fp16, {.5, 1, 2, 4});
    const Tensor zero = vector(DType::Fp16, {0});
    for (const Half& each : cases) {
        CAPTURE(tosa::name(each.op));
        const std::vector<Tensor> inputs =
            each.op == Op::Negate ? std::vector{in, zero, zero} : std::vector{in};
        const Tensor out =
            call(each.op, inputs, DType::Fp16, {4}, clamp_attribute(DType::Fp16, -1, 1));
        for (std::size_t i = 0; i < 4; ++i) {
            CAPTURE(i);
            const std::uint32_t least = each.bits[i] - (each.bits[i] == 0 ? 0 : each.ulp);
            CHECK(out.bits(i) >= least);
            CHECK(out.bits(i) <= each.bits[i] + (each.bits[i] == 0 ? 0 : each.ulp));
        }
    }
}

TEST_CASE("corpus: rescale-int32-to-int8") {
    const Attribute attribute = [](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateRescaleAttribute(builder, true,
                                                 tosa::fbs::RoundingMode::SINGLE_ROUND)
            .Union();
    };
    const Tensor in = vector(
        DType::Int32, {-1000, -251, -250, -249, -3, -2, -1, 0, 1, 2, 3, 249, 250, 251, 260, 1000});
    check_same(call(Op::Rescale,
                    {in, vector(DType::Int32, {1 << 29}), vector(DType::Int8, {30}),
                     vector(DType::Int32, {0}), vector(DType::Int8, {-3})},
                    DType::Int8, {16}, attribute),
               {-128, -128, -128, -127, -4, -4, -3, -3, -2, -2, -1, 122, 122, 123, 127, 127});
}

TEST_CASE("corpus: CAST of every FP8 to BF16") {
    constexpr std::uint32_t kSmallE4M3[] = {0x0000, 0x3B00, 0x3B80, 0x3BC0,
                                            0x3C00, 0x3C20, 0x3C40, 0x3C60};
    constexpr std::uint32_t kSmallE5M2[] = {0x0000, 0x3780, 0x3800, 0x3840};
    for (const DType type : {DType::Fp8E4M3, DType::Fp8E5M2}) {
        const bool e4m3 = type == DType::Fp8E4M3;
        const Tensor out = call(Op::Cast, {vector(type, every(type))}, DType::Bf16, {256});
        for (std::uint32_t bits = 0; bits < 256; ++bits) {
            CAPTURE(bits);
            const std::uint32_t sign = (bits & 0x80) << 8;
            const std::uint32_t magnitude = bits & 0x7F;
            std::uint32_t expected = e4m3 ? (magnitude >> 3) + 120 : (magnitude >> 2) + 112;
            expected = expected << 7 | (e4m3 ? (bits & 7) << 4 : (bits & 3) << 5);
            if (magnitude < (e4m3 ? 8 : 4))
                expected = e4m3 ? kSmallE4M3[magnitude] : kSmallE5M2[magnitude];
            if (!e4m3 && magnitude == 0x7C) expected = 0x7F80;
            if (magnitude > (e4m3 ? 0x7E : 0x7C)) expected = 0x7FC0;
            CHECK(out.bits(bits) == (sign | expected));
        }
    }
}

}  // namespace
}  // namespace cpu::test
