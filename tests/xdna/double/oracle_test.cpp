// SPDX-License-Identifier: MIT
//
// The double's oracles against numbers that were computed by hand, or stand in providers.md
// 1.12 and 6.4.
#include "xdna/double/oracle.hpp"

#include <bit>
#include <limits>

#include <doctest/doctest.h>

#include "xdna/double/rig.hpp"

TEST_SUITE_BEGIN("xdna/double/oracle");

using xrt_double::Rig;

namespace {

// Of one run through XRT's interface.
template <class Out, class... In>
std::vector<Out> computed(const xdna::Spec& spec, const std::vector<In>&... inputs) {
    const xrt_double::Script script;
    const Rig rig(spec);
    auto buffers = rig.buffers();
    std::size_t slot = 0;
    (xrt_double::put(buffers[slot++], inputs), ...);
    REQUIRE(xrt_double::outcome(rig.run(buffers)) == ERT_CMD_STATE_COMPLETED);
    return xrt_double::got<Out>(buffers.back(), xdna::slots(spec).back().bytes / sizeof(Out));
}

using I8 = std::vector<std::int8_t>;
using U8 = std::vector<std::uint8_t>;
using I32 = std::vector<std::int32_t>;
using U16 = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("INT8 products subtract both zero points") {
    const I8 a{-128, -1, 127, 5, -6, 7, 0, 0}, b{8, -9, 10, 11, 12, -13, 0, 0};
    const auto c = computed<std::int32_t>(
        xdna::Int8Matmul{.shape = {.m = 2, .k = 3, .n = 2}, .a_zero = -2, .b_zero = 3}, a, b);
    CHECK(c == I32{538, -544, 88, -260});
}

TEST_CASE("RESCALE rounds halves up, moves, saturates, and clears the last word's padding") {
    const I32 in{-1000, -251, -250, -249, -3, -2, -1, 0, 1, 2, 3, 249, 250, 251, 260, 1000};
    const xdna::Int32ToInt8Rescale halve{
        .elements = 16, .multiplier = 1 << 29, .shift = 30, .output_zero = -3};
    CHECK(computed<std::uint8_t>(halve, in) == U8{0x80, 0x80, 0x80, 0x81, 0xFC, 0xFC, 0xFD, 0xFD,
                                                  0xFE, 0xFE, 0xFF, 0x7A, 0x7A, 0x7B, 0x7F, 0x7F});

    const xdna::Int32ToInt8Rescale same{.elements = 5, .multiplier = 4, .shift = 2};
    CHECK(computed<std::int8_t>(same, I32{1, -2, 3, -4, 5}) == I8{1, -2, 3, -4, 5, 0, 0, 0});

    const xdna::Int32ToInt8Rescale most{.elements = 1, .multiplier = INT32_MAX, .shift = 62};
    CHECK(computed<std::int8_t>(most, I32{INT32_MIN}) == I8{-1, 0, 0, 0});
}

TEST_CASE("MAX_POOL2D takes the largest of each window and channel, and a NaN before all") {
    U16 in;
    for (int i = 1; i <= 16; ++i)
        for (const int value : {i, 100 + i})
            in.push_back(static_cast<std::uint16_t>(
                std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16));
    const xdna::Bf16MaxPool2d pool{.in_height = 4,
                                   .in_width = 4,
                                   .channels = 2,
                                   .kernel_y = 2,
                                   .kernel_x = 2,
                                   .stride_y = 2,
                                   .stride_x = 2};
    U16 out{0x40C0, 0x42D4, 0x4100, 0x42D8, 0x4160, 0x42E4, 0x4180, 0x42E8};
    CHECK(computed<std::uint16_t>(pool, in) == out);

    in[0] = 0x7FC1;
    out[0] = 0x7FC0;
    CHECK(computed<std::uint16_t>(pool, in) == out);

    // An odd number of elements, and nothing above -infinity.
    const xdna::Bf16MaxPool2d one{.in_height = 1,
                                  .in_width = 2,
                                  .channels = 1,
                                  .kernel_y = 1,
                                  .kernel_x = 2,
                                  .stride_y = 1,
                                  .stride_x = 1};
    CHECK(computed<std::uint16_t>(one, U16{0xFF80, 0xFF80}) == U16{0xFF80, 0});
}

TEST_CASE("FP8 is widened as providers.md 1.12 has it, for all encodings") {
    constexpr std::array<std::uint16_t, 8> e4m3_small{0,      0x3B00, 0x3B80, 0x3BC0,
                                                      0x3C00, 0x3C20, 0x3C40, 0x3C60};
    constexpr std::array<std::uint16_t, 4> e5m2_small{0, 0x3780, 0x3800, 0x3840};
    for (int i = 0; i < 256; ++i) {
        CAPTURE(i);
        const int sign = (i & 0x80) << 8, rest = i & 0x7F;
        const auto encoding = static_cast<std::uint8_t>(i);

        int e4m3 = sign | (((rest >> 3) + 120) << 7) | ((rest & 7) << 4);
        if (rest < 8) e4m3 = sign | e4m3_small.at(static_cast<std::size_t>(rest));
        if (rest == 0x7F) e4m3 = sign | 0x7FC0;
        CHECK(xrt_double::bf16_bits(xdna::Fp8::E4M3, encoding) == e4m3);

        int e5m2 = sign | (((rest >> 2) + 112) << 7) | ((rest & 3) << 5);
        if (rest < 4) e5m2 = sign | e5m2_small.at(static_cast<std::size_t>(rest));
        if (rest == 0x7C) e5m2 = sign | 0x7F80;
        if (rest > 0x7C) e5m2 = sign | 0x7FC0;
        CHECK(xrt_double::bf16_bits(xdna::Fp8::E5M2, encoding) == e5m2);
    }
}

TEST_CASE("BF16 products are summed in FP32, in ascending k") {
    const xdna::Shape shape{.m = 32, .k = 64, .n = 32};
    U16 a(32 * 64), b(64 * 32);
    // Row 0: 2^24, 1, 1, ... The ones are lost one by one, and would not be in another order.
    a[0] = 0x4B80;
    for (std::size_t k = 1; k < 64; ++k)
        a[k] = 0x3F80;
    // Row 1: 3 at k = 2.
    a[64 + 2] = 0x4040;
    for (std::size_t k = 0; k < 64; ++k)
        b[k * 32] = 0x3F80;
    b[2 * 32 + 5] = 0xC000;  // -2
    const auto c = computed<float>(xdna::Bf16Matmul{shape}, a, b);
    CHECK(c[0] == 16777216.0F);
    CHECK(c[5] == -2.0F);
    CHECK(c[32] == 3.0F);
    CHECK(c[32 + 5] == -6.0F);
    CHECK(c[64] == 0.0F);
}

TEST_CASE("FP8 operands of a product are widened each in its format") {
    const xdna::Shape shape{.m = 32, .k = 64, .n = 32};
    U8 a(32 * 64), b(64 * 32);
    a[0] = 0x38;  // 1 in E4M3
    b[0] = 0xC0;  // -2 in E5M2
    a[1] = 0x7F;  // NaN in E4M3
    b[32 + 1] = 0x3C;
    const auto c = computed<float>(
        xdna::Fp8Matmul{.a = xdna::Fp8::E4M3, .b = xdna::Fp8::E5M2, .shape = shape}, a, b);
    CHECK(c[0] != c[0]);  // NaN * 0
    CHECK(c[1] != c[1]);
    CHECK(c[32] == 0.0F);
    a[1] = 0x7E;  // 448
    const auto finite = computed<float>(
        xdna::Fp8Matmul{.a = xdna::Fp8::E4M3, .b = xdna::Fp8::E5M2, .shape = shape}, a, b);
    CHECK(finite[0] == -2.0F);
    CHECK(finite[1] == 448.0F);
}

TEST_CASE("identities copy bits") {
    CHECK(computed<std::uint8_t>(xdna::Int8Identity{8},
                                 U8{0x80, 0x81, 0xFF, 0x00, 0x01, 0x7E, 0x7F, 0x2A}) ==
          U8{0x80, 0x81, 0xFF, 0x00, 0x01, 0x7E, 0x7F, 0x2A});
    U16 all(1024, 0x7FC1);
    all[1] = 0x8000;
    CHECK(computed<std::uint16_t>(xdna::Bf16Identity{1024}, all) == all);
    U8 e4m3(1024, 0x38);
    CHECK(computed<std::uint16_t>(xdna::Fp8ToBf16{.format = xdna::Fp8::E4M3, .elements = 1024},
                                  e4m3) == U16(1024, 0x3F80));
}

TEST_SUITE_END();
