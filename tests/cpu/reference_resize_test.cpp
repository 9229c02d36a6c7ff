// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "cpu/tensor_call.hpp"

namespace cpu::test {
namespace {

using Mode = tosa::fbs::ResizeMode;

// An axis: scale = up / down.
struct Axis {
    double up, down, offset, border;
};
constexpr Axis kSame{1, 1, 0, 0};
constexpr Axis kDoubleCentres{4, 2, -1, 1};  // pixels have their centres at halves
constexpr Axis kHalveCentres{2, 4, 1, -1};
constexpr Axis kHalve{1, 2, 0, -1};       // every second pixel
constexpr Axis kThreeToFive{4, 2, 0, 0};  // corners on corners

Tensor resize(Mode mode, const Tensor& in, DType out, const Axis& y, const Axis& x) {
    const auto extent = [](std::int32_t length, const Axis& axis) {
        return static_cast<std::int32_t>(((length - 1) * axis.up - axis.offset + axis.border) /
                                         axis.down) +
               1;
    };
    return call_one(Op::Resize,
                    [=](flatbuffers::FlatBufferBuilder& builder) {
                        return tosa::fbs::CreateResizeAttribute(builder, mode).Union();
                    },
                    {in, shape({y.up, y.down, x.up, x.down}), shape({y.offset, x.offset}),
                     shape({y.border, x.border})},
                    {out, {in.dims[0], extent(in.dims[1], y), extent(in.dims[2], x), in.dims[3]}});
}

Tensor row(DType type, const Reals& values) {
    return {type, {1, 1, static_cast<std::int32_t>(values.size()), 1}, values};
}

TEST_CASE("RESIZE along one axis") {
    struct Case {
        const char* name;
        Axis axis;
        Reals in, nearest, bilinear;
    };
    const Case cases[] = {
        {"double, by centres", kDoubleCentres, {8, 16}, {8, 8, 16, 16}, {8, 10, 14, 16}},
        {"halve, by centres", kHalveCentres, {2, 4, 8, 16}, {4, 16}, {3, 12}},
        {"halve, by corners", kHalve, {2, 4, 8, 16}, {2, 8}, {2, 8}},
        {"three to five", kThreeToFive, {2, 4, 8}, {2, 4, 4, 8, 8}, {2, 3, 4, 6, 8}},
        {"same", kSame, {3, 1, 2}, {3, 1, 2}, {3, 1, 2}},
        {"from one pixel", {4, 1, -2, 3}, {5}, {5, 5, 5, 5, 5, 5}, {5, 5, 5, 5, 5, 5}},
        {"far beyond both ends", {1, 1, -1, 0}, {8, 16}, {8, 8, 16}, {8, 8, 16}},
    };
    for (const Case& given : cases) {
        CAPTURE(given.name);
        for (const DType type :
             {DType::Fp32, DType::Fp16, DType::Bf16, DType::Int8, DType::Int16}) {
            CAPTURE(name(type));
            const Tensor across = row(type, given.in);
            const Tensor down(type, {1, across.dims[2], 1, 1}, given.in);
            CHECK(resize(Mode::NEAREST, across, type, kSame, given.axis).reals() == given.nearest);
            CHECK(resize(Mode::NEAREST, down, type, given.axis, kSame).reals() == given.nearest);

            // Integers stay multiplied by the scale.
            const bool is_float = tosa::is_float(type);
            const DType wide = type == DType::Int8    ? DType::Int32
                               : type == DType::Int16 ? DType::Int48
                                                      : type;
            Reals bilinear = given.bilinear;
            for (double& value : bilinear)
                value *= is_float ? 1 : given.axis.up;
            CHECK(resize(Mode::BILINEAR, across, wide, kSame, given.axis).reals() == bilinear);
            CHECK(resize(Mode::BILINEAR, down, wide, given.axis, kSame).reals() == bilinear);
        }
    }
}

// Both axes, two batches and two channels of which the second is the first, times ten.
TEST_CASE("RESIZE keeps batches and channels apart, and axes") {
    const Tensor in(DType::Fp32, {2, 2, 2, 2},
                    {0, 0, 8, 80, 16, 160, 32, 320, 1, 10, 1, 10, 1, 10, 1, 10});
    const Reals first{0,  0,   2,  20,  6,  60,  8,  80,  8,  80,  11, 110,
                      17, 170, 20, 200, 16, 160, 20, 200, 28, 280, 32, 320};
    Reals expected = first;
    for (int i = 0; i < 12; ++i) {
        expected.push_back(1);
        expected.push_back(10);
    }
    const Axis two_to_three{2, 1, 0, 0};
    const Tensor out = resize(Mode::BILINEAR, in, DType::Fp32, two_to_three, kDoubleCentres);
    CHECK(out.dims == Dims{2, 3, 4, 2});
    CHECK(out.reals() == expected);
    const Tensor wide = resize(Mode::BILINEAR, Tensor(DType::Int16, in.dims, in.reals()),
                               DType::Int48, two_to_three, kDoubleCentres);
    for (double& value : expected)
        value *= 2 * 4;
    CHECK(wide.reals() == expected);
}

TEST_CASE("RESIZE of integers at their extremes") {
    const Axis most{2048, 2048, -2048, 0};
    CHECK(resize(Mode::BILINEAR, row(DType::Int16, {-32768, 32767}), DType::Int48,
                 {2048, 1024, 0, 0}, most)
              .reals() == Reals{-std::ldexp(1, 37), -std::ldexp(1, 37), 32767 * std::ldexp(1, 22)});
    CHECK(resize(Mode::BILINEAR, row(DType::Int8, {-128, 127}), DType::Int32, {2048, 1024, 0, 0},
                 most)
              .reals() == Reals{-std::ldexp(1, 29), -std::ldexp(1, 29), 127 * std::ldexp(1, 22)});
}

TEST_CASE("RESIZE of floats: infinities, and one rounding") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Tensor edge = row(DType::Fp32, {kInfinity, 1});
    CHECK(resize(Mode::NEAREST, edge, DType::Fp32, kSame, kDoubleCentres).reals() ==
          Reals{kInfinity, kInfinity, 1, 1});
    // A neighbour of weight zero is multiplied like any other.
    const Reals blended =
        resize(Mode::BILINEAR, row(DType::Fp32, {1, kInfinity}), DType::Fp32, kSame, kSame).reals();
    CHECK(std::isnan(blended[0]));
    // 2048 + 1/3, which FP16 can only hold as 2048; 2/3 of the way to 2050 is nearer to that.
    const Axis thirds{3, 1, 0, 0};
    CHECK(resize(Mode::BILINEAR, row(DType::Fp16, {2048, 2050}), DType::Fp16, kSame, thirds)
              .reals() == Reals{2048, 2048, 2050, 2050});
}

}  // namespace
}  // namespace cpu::test
