// SPDX-License-Identifier: MIT
#include "labels.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <doctest/doctest.h>

#include "tosa_generated.h"

using namespace accelctl;
namespace fbs = tosa::fbs;

namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

Tensor output_of(fbs::DType type, const Shape& shape) {
    Tensor tensor;
    tensor.name = "y";
    tensor.type = type;
    tensor.shape = shape;
    return tensor;
}

Array labels_of(const std::vector<std::int64_t>& labels) {
    return {Element::I8, {labels.size()}, bytes_of(labels)};
}

double decoded(fbs::DType type, std::uint16_t bits) {
    return value_at(type, bytes_of(std::vector{bits}), 0);
}

}  // namespace

TEST_SUITE("libaccel/labels") {
    TEST_CASE("the prediction of a row is its largest value, the first of equals, never NaN") {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector values{0.0F, 2.0F,  1.0F,   // 1
                                 3.0F, 3.0F,  -1.0F,  // 0
                                 nan,  -5.0F, -4.0F,  // 2
                                 nan,  nan,   nan};   // nothing is larger than nothing: 0
        const auto result = score(output_of(fbs::DType::FP32, {2, 2, 3}), bytes_of(values),
                                  labels_of({1, 1, 2, -1}));

        REQUIRE(result);
        CHECK(result->predictions == std::vector<std::size_t>{1, 0, 2, 0});
        CHECK(result->right == 2);
        CHECK(result->report() == "predictions:\n1 0 2 0\naccuracy: 50.00 % (2 of 4)\n");
    }

    TEST_CASE("logits in INT32 are compared exactly, over all of their range") {
        const std::vector<std::int32_t> values{16'777'216,     16'777'217,  // not in FP32
                                               -2'147'483'647, -2'147'483'647 - 1, -1,
                                               2'147'483'647};
        const auto result =
            score(output_of(fbs::DType::INT32, {1, 3, 2}), bytes_of(values), labels_of({1, 0, 1}));
        REQUIRE(result);
        CHECK(result->right == 3);
    }

    TEST_CASE("labels of every integer type are read") {
        const std::vector<std::int8_t> values{0, 9, 9, 0};
        const auto tensor = output_of(fbs::DType::INT8, {2, 2});
        for (const Array& labels :
             {Array{Element::I1, {2}, bytes_of(std::vector<std::int8_t>{1, 0})},
              Array{Element::U1, {2}, bytes_of(std::vector<std::uint8_t>{1, 0})},
              Array{Element::I2, {2}, bytes_of(std::vector<std::int16_t>{1, 0})},
              Array{Element::U2, {2}, bytes_of(std::vector<std::uint16_t>{1, 0})},
              Array{Element::I4, {2}, bytes_of(std::vector<std::int32_t>{1, 0})}, labels_of({1, 0}),
              Array{Element::B1, {2, 1}, bytes_of(std::vector<std::uint8_t>{1, 0})}}) {
            const auto result = score(tensor, bytes_of(values), labels);
            REQUIRE(result);
            CHECK(result->right == 2);
        }
    }

    TEST_CASE("labels that do not fit the output are refused") {
        const auto contents = bytes_of(std::vector<std::int8_t>{0, 9, 9, 0});
        const auto tensor = output_of(fbs::DType::INT8, {2, 2});
        CHECK(score(tensor, contents, labels_of({1})).error() ==
              "1 labels for the 2 rows of 'y' [2, 2]");
        CHECK(score(tensor, contents, labels_of({1, 2, 3})).error() ==
              "3 labels for the 2 rows of 'y' [2, 2]");
        CHECK(score(tensor, contents, {Element::F4, {2}, std::vector<std::byte>(8)}).error() ==
              "labels must be integers, not '<f4'");
        CHECK(score(output_of(fbs::DType::INT8, {}), contents, labels_of({1})).error() ==
              "output 'y' has no classes to choose from");
    }

    TEST_CASE("every type is decoded to the number that it stands for") {
        using enum fbs::DType;
        CHECK(decoded(FP16, 0x3C00) == 1.0);
        CHECK(decoded(FP16, 0xC400) == -4.0);
        CHECK(decoded(FP16, 0x0001) == std::ldexp(1.0, -24));
        CHECK(decoded(FP16, 0x7BFF) == 65504.0);
        CHECK(decoded(FP16, 0xFC00) == -std::numeric_limits<double>::infinity());
        CHECK(std::isnan(decoded(FP16, 0x7E00)));
        CHECK(decoded(BF16, 0x42CA) == 101.0);
        CHECK(decoded(BF16, 0xBF80) == -1.0);
        CHECK(decoded(FP8E4M3, 0x38) == 1.0);
        CHECK(decoded(FP8E4M3, 0x7E) == 448.0);
        CHECK(decoded(FP8E4M3, 0x01) == std::ldexp(1.0, -9));
        CHECK(std::isnan(decoded(FP8E4M3, 0x7F)));
        CHECK(decoded(FP8E5M2, 0xBC) == -1.0);
        CHECK(decoded(FP8E5M2, 0x7B) == 57344.0);
        CHECK(decoded(FP8E5M2, 0x7C) == std::numeric_limits<double>::infinity());
        CHECK(decoded(INT8, 0x80) == -128.0);
        CHECK(decoded(INT16, 0x8000) == -32768.0);
        const auto int4 = bytes_of(std::vector<std::uint8_t>{0xD9, 0x0F, 0x31, 0x76});
        const std::vector int4_values{-7, -3, -1, 0, 1, 3, 6, 7};
        for (std::size_t i = 0; i < 8; ++i)
            CHECK(value_at(INT4, int4, i) == int4_values[i]);
        const auto int48 = bytes_of(std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0,  //
                                                              0, 0, 0, 0, 0, 0x80});
        CHECK(value_at(INT48, int48, 0) == 1.0);
        CHECK(value_at(INT48, int48, 1) == -std::ldexp(1.0, 47));
    }
}
