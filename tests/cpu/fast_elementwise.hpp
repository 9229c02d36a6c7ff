// SPDX-License-Identifier: MIT
//
// Elements to try elementwise operators with, and how far results may be apart.
#pragma once

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

// clang-format off
#include "cpu/kernels/vector_targets.hpp"
#include <hwy/targets.h>
// clang-format on

#include "cpu/plan_run.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace cpu::test {

using tosa::DType;

inline bool equal_or_nan(DType type, const Bytes& a, const Bytes& b, std::uint64_t i) {
    if (!tosa::is_float(type))
        return tosa::read_integer(type, a.data(), i) == tosa::read_integer(type, b.data(), i);
    const double x = tosa::read_float(type, a.data(), i);
    const double y = tosa::read_float(type, b.data(), i);
    return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}

// How far apart two elements are in the order of all. Zeros of different sign are not near.
inline double steps_apart(DType type, double a, double b) {
    constexpr double kFar = 1e9;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kFar;
    if (a == 0 && b == 0) return std::signbit(a) == std::signbit(b) ? 0 : kFar;
    const auto place = [type](double x) {
        const double bits = tosa::encode_float(type, std::fabs(x));
        return std::signbit(x) ? -1 - bits : bits;
    };
    return std::fabs(place(a) - place(b));
}

// "element 7: 1.5 instead of 2" for the first that is more than `steps` and `absolute` away.
inline std::string difference(DType type, const Bytes& got, const Bytes& expected, double steps = 0,
                              double absolute = 0) {
    const std::uint64_t elements = got.size() / tosa::buffer_bytes(type, 1);
    for (std::uint64_t i = 0; i < elements; ++i) {
        if (equal_or_nan(type, got, expected, i)) continue;
        if (!tosa::is_float(type))
            return std::format("element {}: {} instead of {}", i,
                               tosa::read_integer(type, got.data(), i),
                               tosa::read_integer(type, expected.data(), i));
        const double x = tosa::read_float(type, got.data(), i);
        const double y = tosa::read_float(type, expected.data(), i);
        const bool close = x != y && std::fabs(x - y) <= absolute;
        if (steps_apart(type, x, y) > steps && !close)
            return std::format("element {}: {} instead of {}", i, x, y);
    }
    return "";
}

inline Bytes special_elements(DType type) {
    const std::size_t bytes = tosa::buffer_bytes(type, 1);
    Bytes made;
    const auto room = [&] {
        made.resize(made.size() + bytes);
        return made.size() / bytes - 1;
    };
    if (!tosa::is_float(type)) {
        const std::int64_t end = std::int64_t{1} << (8 * bytes - 1);
        for (const std::int64_t value :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{7},
              std::int64_t{100}, std::int64_t{-100}, end - 1, -end, 1 - end, end / 2})
            tosa::write_integer(type, made.data(), room(), type == DType::Bool ? value & 1 : value);
        return made;
    }
    const double inf = std::numeric_limits<double>::infinity();
    const double smallest = tosa::decode_float(type, 1);
    for (const double value : {0.0,
                               1.0,
                               0.5,
                               1.5,
                               2.5,
                               3.0,
                               0.1,
                               20.0,
                               3.14159265,
                               1.57079632,
                               88.7,
                               103.9,
                               127.5,
                               128.5,
                               32767.5,
                               1e-3,
                               1e-7,
                               29999.0,
                               40000.0,
                               1e10,
                               1e30,
                               2147483520.0,
                               2147483648.0,
                               8388609.0,
                               tosa::largest(type),
                               tosa::smallest_normal(type),
                               smallest,
                               3 * smallest,
                               tosa::smallest_normal(type) - smallest,
                               inf,
                               std::nan("")}) {
        tosa::write_float(type, made.data(), room(), value);
        tosa::write_float(type, made.data(), room(), -value);
    }
    return made;
}

// Special elements first, so that each meets each other one in pairs with `stride`; then
// any bits, and numbers of all ordinary sizes.
inline Bytes elements_of(DType type, std::uint64_t count, std::uint64_t stride, unsigned seed) {
    const std::size_t bytes = tosa::buffer_bytes(type, 1);
    const Bytes special = special_elements(type);
    const std::uint64_t specials = special.size() / bytes;
    Bytes made(count * bytes);
    std::mt19937 random(seed);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i < specials * specials) {
            const std::uint64_t at = i / stride % specials;
            std::copy_n(special.begin() + static_cast<std::ptrdiff_t>(at * bytes), bytes,
                        made.begin() + static_cast<std::ptrdiff_t>(i * bytes));
        } else if (type == DType::Bool) {
            tosa::write_integer(type, made.data(), i, random() & 1);
        } else if (!tosa::is_float(type) || i % 2 == 0) {
            const auto word = static_cast<std::uint32_t>(random());
            std::memcpy(made.data() + i * bytes, &word, bytes);
        } else {
            const double magnitude = std::exp2(std::uniform_real_distribution(-12.0, 12.0)(random));
            tosa::write_float(type, made.data(), i, random() & 1 ? magnitude : -magnitude);
        }
    }
    return made;
}

inline std::uint64_t special_count(DType type) {
    return special_elements(type).size() / tosa::buffer_bytes(type, 1);
}

// Runs `test` with each instruction set that this processor and the program have.
template <class Test>
void on_each_target(Test test) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        const std::string target_name = hwy::TargetName(target);
        CAPTURE(target_name);
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        test();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace cpu::test
