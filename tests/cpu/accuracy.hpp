// SPDX-License-Identifier: MIT
//
// How far from the true result TOSA lets a floating-point operator stay (TOSA "Numeric
// Accuracy Helpers" and the precision requirements of each operator).
#pragma once

#include <algorithm>
#include <cmath>

#include "tosa/number.hpp"

namespace cpu::test {

using tosa::DType;
using tosa::Op;

// Units of the last place at `truth`.
inline double ulps(DType type, double truth, double count) {
    if (truth == 0 || !std::isfinite(truth)) return 0;
    const double power = std::exp2(std::ilogb(truth));
    return count * std::fmax(power, tosa::smallest_normal(type)) *
           std::exp2(-tosa::float_format(type).fraction_bits);
}

// Relative to `magnitude`, `count` units, and at least `least` units at 1.
inline double relative(DType type, double magnitude, double count, double least = 0,
                       double divisor = 1) {
    if (!std::isfinite(count) && magnitude == 0) return 0;
    double base = std::fmax(std::fabs(magnitude), tosa::smallest_normal(type));
    if (least > 0) base = std::fmax(base, least / count);
    return std::exp2(-tosa::float_format(type).fraction_bits / divisor) * base * count;
}

// Of an operator of one input `x`, whose true result is `truth`.
inline double error_bound(Op op, DType type, double x, double truth) {
    const double base = type == DType::Fp32 ? 3 : 1;
    switch (op) {
        case Op::Erf:
            return ulps(type, truth, 5);
        case Op::Reciprocal:
            return ulps(type, truth, 1);
        case Op::Rsqrt:
            return ulps(type, truth, 2);
        case Op::Exp:
            return relative(type, truth, base + 2 * std::fabs(x));
        case Op::Log:
            return relative(type, truth, 5, .5);
        case Op::Sigmoid:
            return relative(type, truth, 2 * (1 + std::fabs(x)));
        case Op::Tanh:
            return relative(type, truth, 4 * (base + 2 * std::fabs(x)), .5);
        case Op::Cos:
            return relative(type, 1 + std::fabs(x), 1, 0, 2);
        case Op::Sin:
            return std::fmax(relative(type, x, 2, 0, 2), 3.15 * tosa::smallest_normal(type));
        default:
            return ulps(type, truth, .5);
    }
}

// POW, with x > 0 and finite operands.
inline double power_bound(DType type, double x, double y, double truth) {
    const double base = type == DType::Fp32 ? 3 : 1;
    const double exponent = y * std::log(x);
    const double product = relative(type, exponent, 5.5, std::fabs(.55 * y));
    return truth * std::expm1(product) +
           relative(type, truth, base + 2 * std::fabs(exponent + product));
}

// Whether `actual` is near enough. What rounds above the largest number may be infinite, and
// a subnormal may have been flushed.
inline bool within(DType type, double actual, double truth, double bound) {
    if (std::isnan(truth)) return std::isnan(actual);
    if (!std::isfinite(bound)) return true;
    if (truth < 0) {
        truth = -truth;
        actual = -actual;
    }
    const auto overflowed = [type](double value) {
        return std::fabs(value) > tosa::largest(type) ? std::copysign(INFINITY, value) : value;
    };
    const double high = overflowed(truth + bound);
    const double low = overflowed(truth - bound);
    if (actual == 0) return low < tosa::smallest_normal(type);
    return actual >= low && actual <= high;
}

}  // namespace cpu::test
