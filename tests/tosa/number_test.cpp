// SPDX-License-Identifier: MIT
#include "tosa/number.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace tosa::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("every encoding of up to 16 bits decodes and encodes to itself") {
    for (const DType type : {DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        const std::uint32_t end = 1U << float_format(type).bits();
        for (std::uint32_t bits = 0; bits < end; ++bits) {
            const double value = decode_float(type, bits);
            if (std::isnan(value))
                CHECK(std::isnan(decode_float(type, encode_float(type, value))));
            else
                CHECK(encode_float(type, value) == bits);
        }
    }
}

TEST_CASE("FP16, BF16 and FP32 agree with the compiler's types") {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
        const double value = decode_float(DType::Fp16, bits);
        CHECK((value == static_cast<double>(half) || std::isnan(value)));
        const float wide = std::bit_cast<float>(bits << 16);
        CHECK((decode_float(DType::Bf16, bits) == wide || std::isnan(wide)));
    }
    // Dense around every tie of the narrow type: each half and its neighbours in FP32.
    for (std::uint32_t bits = 0; bits < 0x1'0000'0000 - 0x800; bits += 0x7F1) {
        const float value = std::bit_cast<float>(bits);
        if (std::isnan(value)) continue;
        CHECK(encode_float(DType::Fp32, value) == bits);
        const auto half = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
        REQUIRE(encode_float(DType::Fp16, value) == half);
    }
}

TEST_CASE("ties go to even, and what is too large saturates as its type says") {
    struct Case {
        DType type;
        double value;
        std::uint32_t bits;
    };
    constexpr std::array kCases = {
        Case{DType::Fp16, 65519.99, 0x7BFF},    Case{DType::Fp16, 65520.0, 0x7C00},
        Case{DType::Fp16, -kInfinity, 0xFC00},  Case{DType::Fp16, 2049.0, 0x6800},
        Case{DType::Fp16, 2051.0, 0x6802},      Case{DType::Fp16, 0x1p-25, 0x0000},
        Case{DType::Fp16, 0x1.8p-24, 0x0002},   Case{DType::Fp16, -0x1p-40, 0x8000},
        Case{DType::Fp16, 0x1.ffcp-15, 0x0400}, Case{DType::Bf16, 0x1.01p0, 0x3F80},
        Case{DType::Bf16, 0x1.03p0, 0x3F82},    Case{DType::Fp8E4M3, 448.0, 0x7E},
        Case{DType::Fp8E4M3, 464.0, 0x7E},      Case{DType::Fp8E4M3, 464.1, 0x7F},
        Case{DType::Fp8E4M3, -kInfinity, 0xFF}, Case{DType::Fp8E4M3, 0x1p-10, 0x00},
        Case{DType::Fp8E4M3, 0x1.8p-9, 0x02},   Case{DType::Fp8E5M2, 61439.0, 0x7B},
        Case{DType::Fp8E5M2, 61440.0, 0x7C},    Case{DType::Fp8E5M2, -0x1p-17, 0x80},
    };
    for (const Case& each : kCases) {
        CAPTURE(each.value);
        CHECK(encode_float(each.type, each.value) == each.bits);
    }
    CHECK(encode_float(DType::Fp8E5M2, std::numeric_limits<double>::quiet_NaN()) == 0x7E);
    CHECK(encode_float(DType::Fp16, -std::numeric_limits<double>::quiet_NaN()) == 0xFE00);
}

TEST_CASE("limits of the types") {
    CHECK(largest(DType::Fp16) == 65504);
    CHECK(largest(DType::Fp8E4M3) == 448);
    CHECK(largest(DType::Fp8E5M2) == 57344);
    CHECK(largest(DType::Fp32) == std::numeric_limits<float>::max());
    CHECK(smallest_normal(DType::Bf16) == std::numeric_limits<float>::min());
    CHECK(smallest_normal(DType::Fp8E4M3) == 0x1p-6);
}

TEST_CASE("integers lie packed, low nibble first, and wrap") {
    std::array<std::byte, 16> data{};
    for (std::uint64_t i = 0; i < 15; ++i)
        write_integer(DType::Int4, data.data(), i, static_cast<std::int64_t>(i) - 7);
    CHECK(data[0] == std::byte{0xA9});
    CHECK(data[7] == std::byte{0x07});
    for (std::uint64_t i = 0; i < 15; ++i)
        CHECK(read_integer(DType::Int4, data.data(), i) == static_cast<std::int64_t>(i) - 7);

    write_integer(DType::Int48, data.data(), 0, -5);
    write_integer(DType::Int48, data.data(), 1, (std::int64_t{1} << 47) - 1);
    CHECK(read_integer(DType::Int48, data.data(), 0) == -5);
    CHECK(read_integer(DType::Int48, data.data(), 1) == (std::int64_t{1} << 47) - 1);
    write_integer(DType::Int8, data.data(), 0, 200);
    CHECK(read_integer(DType::Int8, data.data(), 0) == -56);
}

}  // namespace
}  // namespace tosa::test
