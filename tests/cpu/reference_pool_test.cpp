// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "cpu/tensor_call.hpp"

namespace cpu::test {
namespace {

using tosa::NanMode;
using List = std::vector<std::int32_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Attribute max_pool(List kernel, List stride, List pad, NanMode mode = NanMode::Propagate) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        const auto k = builder.CreateVector(kernel);
        const auto s = builder.CreateVector(stride);
        const auto p = builder.CreateVector(pad);
        return tosa::fbs::CreateMaxPool2dAttribute(builder, k, s, p,
                                                   static_cast<tosa::fbs::NanPropagationMode>(mode))
            .Union();
    };
}

Attribute avg_pool(List kernel, List stride, List pad) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        const auto k = builder.CreateVector(kernel);
        const auto s = builder.CreateVector(stride);
        const auto p = builder.CreateVector(pad);
        return tosa::fbs::CreateAvgPool2dAttribute(builder, k, s, p, tosa::fbs::DType::INT32)
            .Union();
    };
}

void check_same(const Reals& actual, const Reals& expected) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        CAPTURE(i);
        if (std::isnan(expected[i]))
            CHECK(std::isnan(actual[i]));
        else
            CHECK(actual[i] == expected[i]);
    }
}

// 1..16 and 101..116, interleaved.
Tensor corpus(DType type, double second = 101) {
    Reals values;
    for (int i = 0; i < 16; ++i) {
        values.push_back(1 + i);
        values.push_back(second + i);
    }
    return {type, {1, 4, 4, 2}, values};
}

TEST_CASE("MAX_POOL2D of the corpus") {
    for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Int8, DType::Int16}) {
        CAPTURE(static_cast<int>(type));
        const Tensor out = call_one(Op::MaxPool2d, max_pool({2, 2}, {2, 2}, {0, 0, 0, 0}),
                                    {corpus(type)}, {type, {1, 2, 2, 2}});
        CHECK(out.reals() == Reals{6, 106, 8, 108, 14, 114, 16, 116});
        if (type == DType::Bf16)
            CHECK(out.bits() ==
                  Integers{0x40C0, 0x42D4, 0x4100, 0x42D8, 0x4160, 0x42E4, 0x4180, 0x42E8});
    }
}

TEST_CASE("MAX_POOL2D skips padding, and NaN as told") {
    const auto pool = [](DType type, const Reals& values, List kernel, List stride, List pad,
                         Dims out, NanMode mode) {
        return call_one(Op::MaxPool2d,
                        max_pool(std::move(kernel), std::move(stride), std::move(pad), mode),
                        {Tensor(type, {1, 2, 3, 1}, values)}, {type, std::move(out)})
            .reals();
    };
    const Reals low{-7, -6, -5, -4, -3, -2};
    for (const DType type : {DType::Int8, DType::Int16, DType::Fp32, DType::Fp8E4M3})
        CHECK(pool(type, low, {2, 2}, {1, 2}, {1, 1, 1, 0}, {1, 3, 2, 1}, NanMode::Propagate) ==
              Reals{-7, -5, -4, -2, -4, -2});
    CHECK(pool(DType::Int8, {-128, -128, -128, -128, 127, 3}, {1, 2}, {1, 1}, {0, 0, 0, 0},
               {1, 2, 2, 1}, NanMode::Ignore) == Reals{-128, -128, 127, 127});

    const Reals mixed{kNan, 1, kNan, kNan, kNan, -kInfinity};
    for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E5M2}) {
        check_same(
            pool(type, mixed, {1, 2}, {1, 1}, {0, 0, 0, 0}, {1, 2, 2, 1}, NanMode::Propagate),
            {kNan, kNan, kNan, kNan});
        check_same(pool(type, mixed, {1, 2}, {1, 1}, {0, 0, 0, 0}, {1, 2, 2, 1}, NanMode::Ignore),
                   {1, 1, kNan, -kInfinity});
        check_same(pool(type, Reals(6, -kInfinity), {2, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1},
                        NanMode::Propagate),
                   {-kInfinity});
    }
}

Tensor average(DType type, Dims dims, const Reals& values, const Attribute& attribute, Dims out,
               double in_zero = 0, double out_zero = 0) {
    return call_one(
        Op::AvgPool2d, attribute,
        {Tensor(type, std::move(dims), values), one(type, in_zero), one(type, out_zero)},
        {type, std::move(out)});
}

TEST_CASE("AVG_POOL2D leaves padding out of sum and count") {
    const Reals nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const auto attribute = avg_pool({2, 2}, {2, 2}, {1, 0, 1, 0});
    for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E5M2})
        CHECK(average(type, {1, 3, 3, 1}, nine, attribute, {1, 2, 2, 1}).reals() ==
              (type == DType::Fp8E5M2 ? Reals{1, 2.5, 6, 7} : Reals{1, 2.5, 5.5, 7}));
    // Ties.
    CHECK(average(DType::Int8, {1, 3, 3, 1}, nine, attribute, {1, 2, 2, 1}).reals() ==
          Reals{1, 3, 6, 7});
    CHECK(average(DType::Int16, {1, 3, 3, 1}, nine, attribute, {1, 2, 2, 1}).reals() ==
          Reals{1, 3, 6, 7});
}

TEST_CASE("AVG_POOL2D of integers: zero points, ties away from zero, saturation") {
    const auto pair = avg_pool({1, 2}, {1, 2}, {0, 0, 0, 0});
    CHECK(average(DType::Int8, {1, 1, 8, 1}, {-1, -2, 1, 2, 3, 3, -128, -128}, pair, {1, 1, 4, 1})
              .reals() == Reals{-2, 2, 3, -128});
    CHECK(average(DType::Int8, {1, 1, 4, 1}, {100, 102, -100, -100}, pair, {1, 1, 2, 1}, 1, -3)
              .reals() == Reals{97, -104});
    CHECK(average(DType::Int8, {1, 1, 4, 1}, {127, 127, -128, -128}, pair, {1, 1, 2, 1}, -128, 127)
              .reals() == Reals{127, 127});
    CHECK(average(DType::Int8, {1, 1, 4, 1}, {127, 127, -128, -128}, pair, {1, 1, 2, 1}, 127, -128)
              .reals() == Reals{-128, -128});
    CHECK(average(DType::Int16, {1, 1, 4, 1}, {32767, 32767, -32768, -32767}, pair, {1, 1, 2, 1})
              .reals() == Reals{32767, -32768});
}

// reciprocal_scale() is a little more than the reciprocal, which is why ties go away from
// zero, and otherwise near enough for sums of this size.
TEST_CASE("AVG_POOL2D divides by every count") {
    for (int count = 1; count <= 40; ++count) {
        CAPTURE(count);
        Reals values(static_cast<std::size_t>(count), 7);
        values[0] = -128;
        const double sum = 7.0 * (count - 1) - 128;
        const Tensor out = average(DType::Int8, {1, 1, count, 1}, values,
                                   avg_pool({1, count}, {1, 1}, {0, 0, 0, 0}), {1, 1, 1, 1});
        CHECK(out.reals().front() == std::round(sum / count));
    }
}

TEST_CASE("AVG_POOL2D of floats is no narrower than its output") {
    const auto pair = avg_pool({1, 2}, {1, 2}, {0, 0, 0, 0});
    CHECK(average(DType::Fp16, {1, 1, 2, 1}, {65504, 65504}, pair, {1, 1, 1, 1}).reals() ==
          Reals{65504});
    check_same(average(DType::Fp16, {1, 1, 4, 1}, {kInfinity, 1, kInfinity, -kInfinity}, pair,
                       {1, 1, 2, 1})
                   .reals(),
               {kInfinity, kNan});
    CHECK(average(DType::Fp8E4M3, {1, 1, 2, 1}, {448, 448}, pair, {1, 1, 1, 1}).reals() ==
          Reals{448});
}

}  // namespace
}  // namespace cpu::test
