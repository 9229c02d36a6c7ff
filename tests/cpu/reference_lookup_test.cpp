// SPDX-License-Identifier: MIT
//
// TABLE, SELECT, the other reductions, and integer operators of one input.
#include <random>

#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

TEST_CASE("reference: TABLE of every INT8 and of every INT16") {
    const Tensor bytes = vector(DType::Int8, sequence(-128, 256));
    check_same(
        call(Op::Table, {bytes, vector(DType::Int8, sequence(127, 256, -1))}, DType::Int8, {256}),
        sequence(127, 256, -1));

    std::mt19937 generator(3);
    Values random(513);
    for (double& entry : random)
        entry = static_cast<double>(generator() % 32768) - 16384;  // neighbours as TOSA wants them
    Values far = random;
    for (std::size_t i = 0; i < far.size(); ++i)
        far[i] = i % 2 == 0 ? -32768 : 32767;
    const Values in = sequence(-32768, 65536);
    for (const Values& table : {random, far}) {
        Values expected;
        for (const double value : in) {
            const double position = (value + 32768) / 128;
            const auto index = static_cast<std::size_t>(position);
            const double rest = position - static_cast<double>(index);
            expected.push_back(128 * (table[index] + (table[index + 1] - table[index]) * rest));
        }
        check_same(call(Op::Table, {vector(DType::Int16, in), vector(DType::Int16, table)},
                        DType::Int32, {65536}),
                   expected);
    }
}

TEST_CASE("reference: SELECT broadcasts all three inputs, of every type") {
    using enum DType;
    for (const DType type : {Bool, Int8, Int16, Int32, Fp16, Bf16, Fp32}) {
        CAPTURE(tosa::name(type));
        const bool logical = type == Bool;
        const Values yes = logical ? Values{1, 0, 1} : Values{1, -2, 3};
        const Values no = logical ? Values{0, 1, 0, 1} : Values{-4, 5, -6, 7};
        const Tensor condition = Tensor(Bool, {2, 1, 1}, {0, 5});  // any byte but 0 is true
        Values expected;
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t k = 0; k < 4; ++k)
                    expected.push_back(i == 1 ? yes[j] : no[k]);
        check_same(call(Op::Select, {condition, Tensor(type, {1, 3, 1}, yes), vector(type, no)},
                        type, {2, 3, 4}),
                   expected);
    }
    check_same(call(Op::Select,
                    {Tensor(Bool, {}, {1}), vector(Fp16, {kNan, -0.0, kInfinity}),
                     vector(Fp16, {1, 2, 3})},
                    Fp16, {3}),
               {kNan, -0.0, kInfinity});
}

TEST_CASE("reference: reductions along each axis") {
    const Dims dims = {2, 3, 4};
    const Tensor in = Tensor(DType::Int32, dims, sequence(1, 24));
    for (std::int32_t axis = 0; axis < 3; ++axis) {
        CAPTURE(axis);
        Dims out = dims;
        out[static_cast<std::size_t>(axis)] = 1;
        const Tensor sums = call(Op::ReduceSum, {in}, DType::Int32, out, axis_attribute(axis));
        Values expected(sums.size());
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 4; ++k) {
                    const int to[] = {j * 4 + k, i * 4 + k, i * 3 + j};
                    expected[static_cast<std::size_t>(to[axis])] += 12 * i + 4 * j + k + 1;
                }
        check_same(sums, expected);
    }
    const Tensor logic = Tensor(DType::Bool, {4, 2}, {0, 0, 0, 9, 1, 0, 1, 2});
    check_same(call(Op::ReduceAll, {logic}, DType::Bool, {4, 1}, axis_attribute(1)), {0, 0, 0, 1});
    check_same(call(Op::ReduceAny, {logic}, DType::Bool, {4, 1}, axis_attribute(1)), {0, 1, 1, 1});
    check_same(call(Op::ReduceAll, {logic}, DType::Bool, {1, 2}, axis_attribute(0)), {0, 0});
    check_same(call(Op::ReduceAny, {logic}, DType::Bool, {1, 2}, axis_attribute(0)), {1, 1});
}

TEST_CASE("reference: sums and products round once, at the end") {
    const auto reduce = [](Op op, DType type, const Values& values) {
        return call(op, {vector(type, values)}, type, {1}, axis_attribute(0));
    };
    check_same(reduce(Op::ReduceSum, DType::Fp16, Values(4096, 1)), {4096});  // 2048 + 1 is 2048
    check_same(reduce(Op::ReduceSum, DType::Bf16, Values(1024, 1)), {1024});
    check_same(reduce(Op::ReduceSum, DType::Fp32, {0x1p60, 1, 1, -0x1p60}), {0});
    check_same(reduce(Op::ReduceSum, DType::Fp32, {0x1p30, .5, -0x1p30}), {.5});
    check_same(reduce(Op::ReduceSum, DType::Fp16, {65504, 65504, -65504}), {65504});
    check_same(reduce(Op::ReduceSum, DType::Fp32, {-0.0, -0.0}), {0.0});
    check_same(reduce(Op::ReduceSum, DType::Fp32, {kInfinity, -kInfinity}), {kNan});
    check_same(reduce(Op::ReduceSum, DType::Fp32, {1, kNan}), {kNan});
    check_same(reduce(Op::ReduceSum, DType::Int32, {2147483647, 1, 2}), {-2147483646});
    check_same(reduce(Op::ReduceProduct, DType::Fp16, {60000, 60000, 0x1p-14, 0x1p-14}),
               {static_cast<double>(static_cast<_Float16>(3.6e9 * 0x1p-28))});
    check_same(reduce(Op::ReduceProduct, DType::Fp32, {-0.0, 5}), {-0.0});
    check_same(reduce(Op::ReduceProduct, DType::Bf16, {kInfinity, 0}), {kNan});
    check_same(reduce(Op::ReduceProduct, DType::Fp32, {kNan, 0}), {kNan});
}

TEST_CASE("reference: integer operators of one input") {
    using enum DType;
    constexpr double kMin32 = -2147483648.0;
    check_same(map(Op::Abs, vector(Int32, {-5, 0, 5, -2147483647, kMin32})),
               {5, 0, 5, 2147483647, kMin32});
    check_same(map(Op::BitwiseNot, vector(Int8, {0, -1, 127, -128})), {-1, 0, -128, 127});
    check_same(map(Op::BitwiseNot, vector(Int16, {0, 32767})), {-1, -32768});
    check_same(map(Op::BitwiseNot, vector(Int32, {5, kMin32})), {-6, 2147483647});
    check_same(map(Op::Clz, vector(Int32, {0, 1, 2, 65535, 2147483647, -1, kMin32})),
               {32, 31, 30, 16, 1, 0, 0});
    check_same(map(Op::LogicalNot, vector(Bool, {0, 1, 2, -1})), {1, 0, 0, 0});

    struct Case {
        DType type;
        double in_zero;
        double out_zero;
        Values in;
        Values expected;
    };
    const Case cases[] = {
        {Int8, 0, 0, {-128, -127, 0, 1, 127}, {127, 127, 0, -1, -127}},
        {Int8, 3, -5, {-128, 3, 127, 0}, {126, -5, -128, -2}},
        {Int8, -128, 127, {-128, 127, 0}, {127, -128, -1}},
        {Int8, 127, 127, {-128, 127, 0}, {127, 127, 127}},
        {Int16, 0, 0, {-32768, 32767, 1}, {32767, -32767, -1}},
        {Int32, 0, 0, {kMin32, 2147483647, 1}, {2147483647, -2147483647, -1}},
    };
    for (const Case& each : cases)
        check_same(call(Op::Negate,
                        {vector(each.type, each.in), vector(each.type, {each.in_zero}),
                         vector(each.type, {each.out_zero})},
                        each.type, {static_cast<std::int32_t>(each.in.size())}),
                   each.expected);
}

}  // namespace
}  // namespace cpu::test
