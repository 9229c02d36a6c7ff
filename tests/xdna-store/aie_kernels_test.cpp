// SPDX-License-Identifier: MIT
//
// What the reference compiler has cores compute, on the host. It says nothing of the array.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "xdna/store/aie/kernels.hpp"

namespace {

using Bf16s = std::array<std::uint16_t, 9>;

float value_of(std::uint16_t bf16) {
    return std::bit_cast<float>(std::uint32_t{bf16} << 16);
}

// Of an FP8 number that is neither infinite nor a NaN.
float value_of(unsigned bits, int exponent_bits, int fraction_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(bits & 0x7F) >> fraction_bits;
    const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
    const int significand = exponent == 0 ? fraction : fraction | 1 << fraction_bits;
    const float size =
        std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - bias - fraction_bits);
    return (bits & 0x80) != 0 ? -size : size;
}

TEST_CASE("Cores widen every FP8 number exactly") {
    for (unsigned bits = 0; bits < 256; ++bits) {
        CAPTURE(bits);
        const float e4m3 = value_of(aie_kernels::e4m3_to_bf16(static_cast<std::uint8_t>(bits)));
        if ((bits & 0x7F) == 0x7F) {
            CHECK(std::isnan(e4m3));
        } else {
            CHECK(e4m3 == value_of(bits, 4, 3));
            CHECK(std::signbit(e4m3) == (bits >= 0x80));
        }
        const float e5m2 = value_of(aie_kernels::e5m2_to_bf16(static_cast<std::uint8_t>(bits)));
        if ((bits & 0x7F) > 0x7C) {
            CHECK(std::isnan(e5m2));
        } else if ((bits & 0x7F) == 0x7C) {
            CHECK(std::isinf(e5m2));
            CHECK(std::signbit(e5m2) == (bits >= 0x80));
        } else {
            CHECK(e5m2 == value_of(bits, 5, 2));
            CHECK(std::signbit(e5m2) == (bits >= 0x80));
        }
    }
    const std::array<std::uint8_t, 2> in{0x38, 0xB8};
    std::array<std::uint16_t, 2> out{};
    aie_kernels::cast<aie_kernels::e4m3_to_bf16, 2>(in.data(), out.data());
    CHECK(out == std::array<std::uint16_t, 2>{0x3F80, 0xBF80});
}

TEST_CASE("Cores multiply INT8 with zero points") {
    // matmul-int8 of the corpus (providers.md 6.4).
    const std::array<std::int8_t, 6> a{-128, -1, 127, 5, -6, 7};
    const std::array<std::int8_t, 6> b{8, -9, 10, 11, 12, -13};
    std::array<std::int32_t, 4> out{};
    aie_kernels::int8_matmul<2, 3, 2, -2, 3>(a.data(), b.data(), out.data());
    CHECK(out == std::array{538, -544, 88, -260});

    std::array<std::int8_t, 512> most{};
    most.fill(-128);
    std::int32_t sum = 0;
    aie_kernels::int8_matmul<1, 512, 1, 127, 127>(most.data(), most.data(), &sum);
    CHECK(sum == 512 * 255 * 255);
}

TEST_CASE("Cores rescale with ties upwards, and clear what is left of a word") {
    // rescale-int32-to-int8 of the corpus.
    const std::array<std::int32_t, 16> in{-1000, -251, -250, -249, -3,  -2,  -1,  0,
                                          1,     2,    3,    249,  250, 251, 260, 1000};
    std::array<std::int8_t, 16> out{};
    aie_kernels::rescale<16, 1 << 29, 30, -3>(in.data(), out.data());
    CHECK(out == std::array<std::int8_t, 16>{-128, -128, -128, -127, -4, -4, -3, -3, -2, -2, -1,
                                             122, 122, 123, 127, 127});

    using Limits = std::numeric_limits<std::int32_t>;
    const std::array<std::int32_t, 5> edges{Limits::min(), Limits::max(), 1, -1, 0};
    std::array<std::int8_t, 8> five{};
    five.fill(99);
    aie_kernels::rescale<5, Limits::max(), 62, 7>(edges.data(), five.data());
    CHECK(five == std::array<std::int8_t, 8>{6, 8, 7, 7, 7, 0, 0, 0});
    aie_kernels::rescale<5, Limits::max(), 2, 0>(edges.data(), five.data());
    CHECK(five == std::array<std::int8_t, 8>{-128, 127, 127, -128, 0, 0, 0, 0});
}

TEST_CASE("Cores take the maximum of windows, or a NaN that is in one") {
    // max-pool2d-bf16 of the corpus: [1,4,4,2] of 1..16 and 101..116.
    std::array<std::uint16_t, 32> in{};
    for (unsigned i = 0; i < 16; ++i) {
        in[2 * i] = static_cast<std::uint16_t>(
            std::bit_cast<std::uint32_t>(static_cast<float>(1 + i)) >> 16);
        in[2 * i + 1] = static_cast<std::uint16_t>(
            std::bit_cast<std::uint32_t>(static_cast<float>(101 + i)) >> 16);
    }
    constexpr aie_kernels::Pool kCorpus{4, 4, 2, 2, 2, 2, 2};
    std::array<std::uint16_t, 8> out{};
    aie_kernels::max_pool<kCorpus>(in.data(), out.data());
    CHECK(out == std::array<std::uint16_t, 8>{0x40C0, 0x42D4, 0x4100, 0x42D8, 0x4160, 0x42E4,
                                              0x4180, 0x42E8});
    for (const std::uint16_t nan : {std::uint16_t{0x7FC1}, std::uint16_t{0xFFC1}}) {
        in[0] = nan;
        aie_kernels::max_pool<kCorpus>(in.data(), out.data());
        CHECK(std::isnan(value_of(out[0])));
        CHECK(out[1] == 0x42D4);
    }

    // Windows that overlap and an odd number of results. Negative numbers, infinities, zeros.
    const Bf16s odd{0xC000, 0xBF80, 0xC040, 0xFF80, 0xBF00, 0xFF80, 0x8000, 0x0000, 0x7F80};
    constexpr aie_kernels::Pool kRow{1, 9, 1, 1, 3, 1, 3};
    std::array<std::uint16_t, 4> three{};
    three.fill(0x1234);
    aie_kernels::max_pool<kRow>(odd.data(), three.data());
    CHECK(three == std::array<std::uint16_t, 4>{0xBF80, 0xBF00, 0x7F80, 0});
    constexpr aie_kernels::Pool kOverlapping{1, 9, 1, 1, 2, 1, 1};
    std::array<std::uint16_t, 8> eight{};
    aie_kernels::max_pool<kOverlapping>(odd.data(), eight.data());
    CHECK(eight == std::array<std::uint16_t, 8>{0xBF80, 0xBF80, 0xC040, 0xBF00, 0xBF00, 0x8000,
                                                0x0000, 0x7F80});
}

}  // namespace
