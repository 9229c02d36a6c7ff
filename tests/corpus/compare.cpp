// SPDX-License-Identifier: MIT
#include "corpus/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <format>

#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace corpus {
namespace {

bool within_ulp(const Tensor& expected, std::uint64_t i, const Bytes& got, std::uint32_t limit) {
    const auto width = static_cast<std::size_t>(tosa::buffer_bytes(expected.type, 1));
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::memcpy(&a, &expected.data[i * width], width);
    std::memcpy(&b, &got[i * width], width);
    return (a ^ b) >> (8 * width - 1) == 0 && std::max(a, b) - std::min(a, b) <= limit;
}

bool near(const Tensor& expected, std::uint64_t i, const Bytes& got, const Tolerance& tolerance) {
    if (!tosa::is_float(expected.type))
        return tosa::read_integer(expected.type, expected.data.data(), i) ==
               tosa::read_integer(expected.type, got.data(), i);
    const double want = tosa::read_float(expected.type, expected.data.data(), i);
    const double have = tosa::read_float(expected.type, got.data(), i);
    if (std::isnan(want)) return std::isnan(have);
    if (want == have && std::signbit(want) == std::signbit(have)) return true;
    if (std::isinf(want) || want == 0 || !std::isfinite(have)) return false;
    const double distance = std::fabs(want - have);
    return (distance <= tolerance.absolute && tolerance.absolute != 0) ||
           distance <= tolerance.relative * std::fabs(want) ||
           (tolerance.ulp != 0 && within_ulp(expected, i, got, tolerance.ulp));
}

std::string element(const Tensor& like, const Bytes& data, std::uint64_t i) {
    if (tosa::is_float(like.type))
        return std::format("{}", tosa::read_float(like.type, data.data(), i));
    return std::format("{}", tosa::read_integer(like.type, data.data(), i));
}

}  // namespace

std::string difference(const Tensor& expected, const Bytes& got, const Tolerance& tolerance) {
    if (got.size() != expected.data.size())
        return std::format("{} bytes, where {} are expected", got.size(), expected.data.size());
    for (std::uint64_t i = 0; i < tosa::element_count(expected.shape); ++i)
        if (!near(expected, i, got, tolerance))
            return std::format("element {} is {}, where {} is expected", i,
                               element(expected, got, i), element(expected, expected.data, i));
    return {};
}

}  // namespace corpus
