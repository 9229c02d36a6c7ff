// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <numbers>

#include "cpu/tensor_call.hpp"

namespace cpu::test {
namespace {

Attribute fft_attribute(bool inverse) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateFft2dAttribute(builder, inverse).Union();
    };
}

struct Spectrum {
    Reals real;
    Reals imaginary;
};

Spectrum fft(const Dims& dims, const Reals& real, const Reals& imaginary, bool inverse = false) {
    const auto out = call(Op::Fft2d, fft_attribute(inverse),
                          {Tensor(DType::Fp32, dims, real), Tensor(DType::Fp32, dims, imaginary)},
                          {Tensor(DType::Fp32, dims), Tensor(DType::Fp32, dims)});
    return {out[0].reals(), out[1].reals()};
}

Spectrum rfft(const Dims& dims, const Reals& real) {
    const Tensor half(DType::Fp32, {dims[0], dims[1], dims[2] / 2 + 1});
    const auto out =
        call(Op::Rfft2d, empty_attribute, {Tensor(DType::Fp32, dims, real)}, {half, half});
    return {out[0].reals(), out[1].reals()};
}

void check_near(const Reals& actual, const Reals& expected, double bound) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(actual[i] - expected[i]) <= bound);
    }
}

TEST_CASE("FFT2D by hand") {
    const auto four = fft({1, 1, 4}, {1, 2, 3, 4}, {0, 0, 0, 0});
    CHECK(four.real == Reals{10, -2, -2, -2});
    CHECK(four.imaginary == Reals{0, 2, 0, -2});
    const auto square = fft({1, 2, 2}, {1, 2, 3, 4}, {0, 0, 0, 0});
    CHECK(square.real == Reals{10, -2, -4, 0});
    CHECK(square.imaginary == Reals{0, 0, 0, 0});
    const auto one_point = fft({2, 1, 1}, {3, 5}, {-4, 6});
    CHECK(one_point.real == Reals{3, 5});
    CHECK(one_point.imaginary == Reals{-4, 6});
    const auto back = fft({1, 1, 4}, {10, -2, -2, -2}, {0, 2, 0, -2}, true);
    CHECK(back.real == Reals{4, 8, 12, 16});
    CHECK(back.imaginary == Reals{0, 0, 0, 0});
}

// Of an impulse at (1, 3) in 4 rows of 8: one turn in 4 down, three in 8 across.
TEST_CASE("FFT2D of an impulse is a wave, FFT2D of a constant an impulse") {
    Reals impulse(32, 0);
    impulse[1 * 8 + 3] = 1;
    const Reals zeros(32, 0);
    Reals cosines;
    Reals sines;
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x) {
            const double angle = 2 * std::numbers::pi * (y / 4.0 + 3 * x / 8.0);
            cosines.push_back(std::cos(angle));
            sines.push_back(std::sin(angle));
        }
    Reals negative = sines;
    for (double& value : negative)
        value = -value;
    const auto wave = fft({1, 4, 8}, impulse, zeros);
    check_near(wave.real, cosines, 1e-7);
    check_near(wave.imaginary, negative, 1e-7);
    const auto inverse = fft({1, 4, 8}, impulse, zeros, true);
    check_near(inverse.real, cosines, 1e-7);
    check_near(inverse.imaginary, sines, 1e-7);
    const auto rotated = fft({1, 4, 8}, zeros, impulse);  // i times
    check_near(rotated.real, sines, 1e-7);
    check_near(rotated.imaginary, cosines, 1e-7);

    Reals peak(32, 0);
    peak[0] = 32;
    check_near(fft({1, 4, 8}, Reals(32, 1), zeros).real, peak, 1e-12);
}

TEST_CASE("FFT2D there and back is the number of elements times the input") {
    const Dims dims{2, 8, 4};
    const Reals real = random_tensor(DType::Fp32, dims, 9, 1).reals();
    const Reals imaginary = random_tensor(DType::Fp32, dims, 9, 2).reals();
    const auto there = fft(dims, real, imaginary);
    const auto back = fft(dims, there.real, there.imaginary, true);
    Reals expected_real = real;
    Reals expected_imaginary = imaginary;
    for (std::size_t i = 0; i < real.size(); ++i) {
        expected_real[i] *= 32;
        expected_imaginary[i] *= 32;
    }
    check_near(back.real, expected_real, 2e-3);
    check_near(back.imaginary, expected_imaginary, 2e-3);
}

TEST_CASE("RFFT2D is the first half of FFT2D") {
    for (const Dims& dims : {Dims{2, 4, 8}, Dims{1, 1, 16}, Dims{3, 8, 1}, Dims{1, 2, 2},
                             Dims{1, 16, 2}, Dims{2, 1, 1}}) {
        const Reals real = random_tensor(DType::Fp32, dims, 9, 3).reals();
        const auto full = fft(dims, real, Reals(real.size(), 0));
        const auto width = static_cast<std::size_t>(dims[2]);
        const std::size_t kept = width / 2 + 1;
        Spectrum expected;
        for (std::size_t i = 0; i < real.size(); ++i)
            if (i % width < kept) {
                expected.real.push_back(full.real[i]);
                expected.imaginary.push_back(full.imaginary[i]);
            }
        const auto half = rfft(dims, real);
        check_near(half.real, expected.real, 1e-5);
        check_near(half.imaginary, expected.imaginary, 1e-5);
    }
}

TEST_CASE("RFFT2D keeps infinities out of what is real whatever the input") {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto half = rfft({1, 1, 4}, {infinity, 0, 1, 0});
    CHECK(half.real == Reals{infinity, infinity, infinity});
    CHECK(half.imaginary == Reals{0, 0, 0});
}

}  // namespace
}  // namespace cpu::test
