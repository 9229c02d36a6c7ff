// SPDX-License-Identifier: MIT
#include <limits>
#include <random>

#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

constexpr double kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr double kMax32 = std::numeric_limits<std::int32_t>::max();

Attribute round_attribute(bool round) {
    return [round](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateArithmeticRightShiftAttribute(builder, round).Union();
    };
}

TEST_CASE("reference: integer operators of two inputs") {
    struct Case {
        Op op;
        DType type;
        Values a;
        Values b;
        Values expected;
        bool round = false;
    };
    const Case cases[] = {
        // Where TOSA leaves the result open: sums and the like wrap.
        {Op::Add, DType::Int32, {1, kMax32, kMin32}, {2, 1, -1}, {3, kMin32, kMax32}},
        {Op::Sub, DType::Int32, {1, kMax32, kMin32}, {2, -1, 1}, {-1, kMin32, kMax32}},
        {Op::Maximum, DType::Int32, {1, kMax32, -5}, {2, kMin32, -6}, {2, kMax32, -5}},
        {Op::Minimum, DType::Int32, {1, kMax32, -5}, {2, kMin32, -6}, {1, kMin32, -6}},
        {Op::IntDiv, DType::Int32, {7, -7, 7, -7, 6}, {2, 2, -2, -2, 3}, {3, -3, -3, 3, 2}},
        // By zero, and the quotient that does not fit.
        {Op::IntDiv, DType::Int32, {7, 0, kMin32, kMin32}, {0, 0, 0, -1}, {0, 0, 0, kMin32}},
        {Op::BitwiseAnd, DType::Int8, {0x5A, -1, -128}, {0x0F, 0x33, 127}, {0x0A, 0x33, 0}},
        {Op::BitwiseOr, DType::Int16, {0x5A00, -1, -32768}, {0x0F, 3, 1}, {0x5A0F, -1, -32767}},
        {Op::BitwiseXor, DType::Int32, {0x5A, -1, kMin32}, {0x0F, -1, kMax32}, {0x55, 0, -1}},
        {Op::ArithmeticRightShift, DType::Int8, {-128, 127, -1, 5}, {7, 6, 7, 1}, {-1, 1, -1, 2}},
        {Op::ArithmeticRightShift, DType::Int16, {-32768, 32767}, {15, 14}, {-1, 1}},
        {Op::ArithmeticRightShift, DType::Int32, {kMin32, kMax32, 9}, {31, 30, 0}, {-1, 1, 9}},
        // To the nearest, ties up; nothing to round where nothing is shifted out.
        {Op::ArithmeticRightShift, DType::Int8, {5, -5, 6, -6}, {1, 1, 2, 2}, {3, -2, 2, -1}, true},
        {Op::ArithmeticRightShift, DType::Int32, {kMax32, kMin32}, {1, 31}, {1 << 30, -1}, true},
        {Op::ArithmeticRightShift, DType::Int16, {5, -5, 0x7FFF}, {0, 0, 15}, {5, -5, 1}, true},
        {Op::LogicalLeftShift,
         DType::Int8,
         {0x40, 1, 3, -1},
         {1, 7, 7, 4},
         {-128, -128, -128, -16}},
        {Op::LogicalLeftShift, DType::Int16, {1, 3, 5}, {15, 15, 0}, {-32768, -32768, 5}},
        {Op::LogicalLeftShift, DType::Int32, {1, 3, -1}, {31, 31, 31}, {kMin32, kMin32, kMin32}},
        {Op::LogicalRightShift, DType::Int8, {-1, -128, -1}, {1, 7, 0}, {127, 1, -1}},
        {Op::LogicalRightShift, DType::Int16, {-1, -32768}, {1, 15}, {32767, 1}},
        {Op::LogicalRightShift, DType::Int32, {-1, kMin32, -1}, {1, 31, 0}, {kMax32, 1, -1}},
        // Amounts out of range are taken modulo the width.
        {Op::ArithmeticRightShift, DType::Int8, {-8, -8}, {9, -7}, {-4, -4}},
        {Op::LogicalLeftShift, DType::Int16, {1, 1}, {17, -15}, {2, 2}},
        {Op::LogicalRightShift, DType::Int32, {8, 8}, {33, -31}, {4, 4}},
        // Every byte but 0 is true.
        {Op::LogicalAnd, DType::Bool, {2, 3, 0, -1}, {4, 0, 0, 1}, {1, 0, 0, 1}},
        {Op::LogicalOr, DType::Bool, {2, 3, 0, 0}, {4, 0, 0, 7}, {1, 1, 0, 1}},
        {Op::LogicalXor, DType::Bool, {2, 3, 0, 0}, {4, 0, 0, 7}, {0, 1, 0, 1}},
    };
    for (const Case& each : cases) {
        CAPTURE(tosa::name(each.op));
        CAPTURE(tosa::name(each.type));
        const bool shift = each.op == Op::ArithmeticRightShift;
        const auto count = static_cast<std::int32_t>(each.a.size());
        check_same(
            call(each.op, {vector(each.type, each.a), vector(each.type, each.b)}, each.type,
                 {count}, shift ? round_attribute(each.round) : nan_attribute(NanMode::Propagate)),
            each.expected);
    }
}

TEST_CASE("reference: comparisons of INT32 and of floats, NaN never equal nor greater") {
    const Values values = {-kInfinity, -1, -0.0, 0.0, 1, kInfinity, kNan};
    const auto n = static_cast<std::int32_t>(values.size());
    for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Int32}) {
        CAPTURE(tosa::name(type));
        Values used = values;
        if (type == DType::Int32) used = {kMin32, -1, 0, 0, 1, kMax32, 5};
        Values equal;
        Values greater;
        Values greater_equal;
        for (const double a : used)
            for (const double b : used) {
                equal.push_back(a == b ? 1 : 0);
                greater.push_back(a > b ? 1 : 0);
                greater_equal.push_back(a >= b ? 1 : 0);
            }
        const std::vector inputs = {Tensor(type, {n, 1}, used), Tensor(type, {1, n}, used)};
        check_same(call(Op::Equal, inputs, DType::Bool, {n, n}), equal);
        check_same(call(Op::Greater, inputs, DType::Bool, {n, n}), greater);
        check_same(call(Op::GreaterEqual, inputs, DType::Bool, {n, n}), greater_equal);
    }
}

__extension__ using Wide = __int128;

TEST_CASE("reference: MUL of integers, with every shift") {
    const Values values = {kMin32, kMin32 + 1, -65537, -32768, -3,    -1,    0,
                           1,      2,          3,      255,    65535, 46341, kMax32};
    const auto n = static_cast<std::int32_t>(values.size());
    const std::vector inputs = {Tensor(DType::Int32, {n, 1}, values),
                                Tensor(DType::Int32, {1, n}, values)};
    for (int shift = 0; shift < 64; ++shift) {
        CAPTURE(shift);
        Values expected;
        for (const double a : values)
            for (const double b : values) {
                const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
                const Wide half = shift == 0 ? 0 : Wide{1} << (shift - 1);
                expected.push_back(static_cast<std::int32_t>((product + half) >> shift));
            }
        check_same(call(Op::Mul, {inputs[0], inputs[1], vector(DType::Int8, {double(shift)})},
                        DType::Int32, {n, n}),
                   expected);
    }
    // Narrow operands give whole products.
    const Tensor zero = vector(DType::Int8, {0});
    check_same(
        call(Op::Mul,
             {vector(DType::Int8, {-128, -128, 127}), vector(DType::Int8, {-128, 127, 127}), zero},
             DType::Int32, {3}),
        {16384, -16256, 16129});
    check_same(
        call(Op::Mul,
             {vector(DType::Int16, {-32768, 32767}), vector(DType::Int16, {-32768, -32768}), zero},
             DType::Int32, {2}),
        {1073741824, -1073709056});
}

// Random encodings, hence of all magnitudes, and every pair of special values.
template <class Float, class Word>
void check_arithmetic(DType type) {
    std::vector<Float> a = {0, std::bit_cast<Float>(Word{1}), 1, 3};
    a.push_back(static_cast<Float>(kInfinity));
    a.push_back(static_cast<Float>(kNan));
    a.push_back(static_cast<Float>(tosa::largest(type)));
    a.push_back(static_cast<Float>(tosa::smallest_normal(type)));
    const std::size_t special = a.size();
    for (std::size_t i = 0; i < special; ++i)
        a.push_back(static_cast<Float>(-a[i]));
    std::vector<Float> left;
    std::vector<Float> right;
    for (const Float x : a)
        for (const Float y : a) {
            left.push_back(x);
            right.push_back(y);
        }
    std::mt19937 generator(5);
    for (int i = 0; i < 20000; ++i) {
        left.push_back(std::bit_cast<Float>(static_cast<Word>(generator())));
        right.push_back(std::bit_cast<Float>(static_cast<Word>(generator())));
    }
    const Tensor x = vector(type, Values(left.begin(), left.end()));
    const Tensor y = vector(type, Values(right.begin(), right.end()));
    Values sum;
    Values difference;
    Values product;
    Values reciprocal;
    for (std::size_t i = 0; i < left.size(); ++i) {
        sum.push_back(static_cast<double>(static_cast<Float>(left[i] + right[i])));
        difference.push_back(static_cast<double>(static_cast<Float>(left[i] - right[i])));
        product.push_back(static_cast<double>(static_cast<Float>(left[i] * right[i])));
        reciprocal.push_back(static_cast<double>(static_cast<Float>(Float{1} / left[i])));
    }
    check_same(call(Op::Add, {x, y}, type, x.dims), sum);
    check_same(call(Op::Sub, {x, y}, type, x.dims), difference);
    check_same(call(Op::Mul, {x, y, vector(DType::Int8, {0})}, type, x.dims), product);
    check_same(map(Op::Reciprocal, x), reciprocal);
}

TEST_CASE("reference: ADD, SUB, MUL and RECIPROCAL round as IEEE's types do") {
    check_arithmetic<float, std::uint32_t>(DType::Fp32);
    check_arithmetic<_Float16, std::uint16_t>(DType::Fp16);
}

TEST_CASE("reference: POW where TOSA leaves it open is IEEE's") {
    const Tensor base = vector(DType::Fp32, {0, 0, -2, -2, kInfinity, kNan, 1, 0, -0.0});
    const Tensor exponent = vector(DType::Fp32, {0, -1, 3, .5, 0, 0, kNan, 2, 3});
    check_same(call(Op::Pow, {base, exponent}, DType::Fp32, {9}),
               {1, kInfinity, -8, kNan, 1, 1, 1, 0, -0.0});
}

TEST_CASE("reference: inputs broadcast, aligned at their last axes") {
    const Tensor a = Tensor(DType::Int32, {2, 1, 3}, {0, 1, 2, 3, 4, 5});
    const Tensor b = Tensor(DType::Int32, {2, 1}, {10, 20});
    Values expected;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 3; ++k)
                expected.push_back(3 * i + k + 10 * (j + 1));
    check_same(call(Op::Add, {a, b}, DType::Int32, {2, 2, 3}), expected);
    check_same(call(Op::Add, {b, a}, DType::Int32, {2, 2, 3}), expected);
    const Tensor scalar = Tensor(DType::Int32, {}, {7});
    check_same(call(Op::Add, {scalar, b}, DType::Int32, {2, 1}), {17, 27});
    check_same(call(Op::Add, {scalar, scalar}, DType::Int32, {}), {14});
}

}  // namespace
}  // namespace cpu::test
