// SPDX-License-Identifier: MIT
//
// TOSA FFT2D and RFFT2D as the sums that they stand for, in double.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpu/reference/rows.hpp"
#include "tosa_generated.h"

namespace cpu::reference {
namespace {

struct Complex {
    double real = 0;
    double imaginary = 0;
};

// The point on the unit circle after k/n of a turn, n a power of two. What remains of a
// quarter turn is exact, and so are the results at quarter turns.
Complex unit(std::uint64_t k, std::uint64_t n) {
    const double turn = static_cast<double>(k) / static_cast<double>(n);
    const double quarters = std::floor(turn * 4 + 0.5);
    const double angle = 2 * std::numbers::pi * (turn - quarters / 4);
    const double x = std::cos(angle);
    const double y = std::sin(angle);
    switch (static_cast<int>(quarters)) {
        case 1:
            return {-y, x};
        case 2:
            return {-x, -y};
        case 3:
            return {y, -x};
        default:
            return {x, y};
    }
}

// Calls visit(input element, cosine and sine of its angle, y turns, x turns) for each
// input element that output element `element` is a sum of. Turns: in parts of the extent.
template <class Visit>
void for_each_term(const Call& call, std::uint64_t element, Visit visit) {
    const std::uint64_t height = call.inputs[0].is.extent(1);
    const std::uint64_t width = call.inputs[0].is.extent(2);
    const std::uint64_t out_width = call.outputs[0].is.extent(2);
    const std::uint64_t parts = std::max(height, width);
    const std::uint64_t out_x = element % out_width;
    const std::uint64_t out_y = element / out_width % height;
    const std::uint64_t base = element / out_width / height * height * width;
    for (std::uint64_t y = 0; y < height; ++y) {
        const std::uint64_t turn_y = y * out_y % height;
        for (std::uint64_t x = 0; x < width; ++x) {
            const std::uint64_t turn_x = x * out_x % width;
            const std::uint64_t turn =
                (turn_y * (parts / height) + turn_x * (parts / width)) % parts;
            visit(base + y * width + x, unit(turn, parts), turn_y, turn_x);
        }
    }
}

void put(const Call& call, std::uint64_t element, const Complex& sum) {
    call.outputs[0].put_real(element, sum.real);
    call.outputs[1].put_real(element, sum.imaginary);
}

void fft2d(const Call& call, std::uint64_t first, std::uint64_t last) {
    const double sign = call.op.attribute_as_Fft2dAttribute()->inverse() ? -1 : 1;
    for (std::uint64_t i = first; i < last; ++i) {
        Complex sum;
        for_each_term(call, i, [&](std::uint64_t at, const Complex& circle, auto...) {
            const double real = call.inputs[0].real(at);
            const double imaginary = call.inputs[1].real(at);
            const double sine = sign * circle.imaginary;
            sum.real += real * circle.real + imaginary * sine;
            sum.imaginary += -real * sine + imaginary * circle.real;
        });
        put(call, i, sum);
    }
}

// Terms that are real whatever the input add nothing to the imaginary part, not even the
// NaN of infinity times zero.
void rfft2d(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto is_half = [&](std::uint64_t turn, std::size_t axis) {
        return turn * 2 % call.inputs[0].is.extent(axis) == 0;
    };
    for (std::uint64_t i = first; i < last; ++i) {
        Complex sum;
        for_each_term(call, i,
                      [&](std::uint64_t at, const Complex& circle, std::uint64_t turn_y,
                          std::uint64_t turn_x) {
                          const double real = call.inputs[0].real(at);
                          sum.real += real * circle.real;
                          if (!is_half(turn_y, 1) || !is_half(turn_x, 2))
                              sum.imaginary += -real * circle.imaginary;
                      });
        put(call, i, sum);
    }
}

std::uint64_t cost(const Call& call) {
    constexpr std::uint64_t kTermCost = 64;
    return call.inputs[0].is.extent(1) * call.inputs[0].is.extent(2) * kTermCost;
}

constexpr Row kRows[] = {
    {tosa::Op::Fft2d, fft2d, cost},
    {tosa::Op::Rfft2d, rfft2d, cost},
};

}  // namespace

std::span<const Row> fourier_rows() {
    return kRows;
}

}  // namespace cpu::reference
