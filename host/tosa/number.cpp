// SPDX-License-Identifier: MIT
#include "tosa/number.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tosa/encoding.hpp"

namespace tosa {
namespace {

std::uint64_t load(const std::byte* data, std::uint64_t index, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + index * bytes, bytes);
    return word;
}

void store(std::byte* data, std::uint64_t index, std::size_t bytes, std::uint64_t word) {
    std::memcpy(data + index * bytes, &word, bytes);
}

std::int64_t sign_extend(std::uint64_t word, unsigned bits) {
    return static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits);
}

// Every bit of exponent and fraction set.
std::uint32_t all_ones(const FloatFormat& format) {
    return (1U << (format.bits() - 1)) - 1;
}

std::uint32_t infinity(const FloatFormat& format) {
    return all_ones(format) >> format.fraction_bits << format.fraction_bits;
}

std::uint32_t quiet_nan(const FloatFormat& format) {
    if (!format.has_infinity) return all_ones(format);
    return infinity(format) | 1U << (format.fraction_bits - 1);
}

std::size_t whole_bytes(DType type) {
    return static_cast<std::size_t>(buffer_bytes(type, 1));
}

}  // namespace

FloatFormat float_format(DType type) {
    switch (type) {
        case DType::Fp16:
            return {5, 10, true};
        case DType::Bf16:
            return {8, 7, true};
        case DType::Fp8E4M3:
            return {4, 3, false};
        case DType::Fp8E5M2:
            return {5, 2, true};
        default:
            return {8, 23, true};
    }
}

double largest(DType type) {
    const FloatFormat format = float_format(type);
    return decode_float(type, (format.has_infinity ? infinity(format) : all_ones(format)) - 1);
}

double smallest_normal(DType type) {
    return std::ldexp(1.0, 1 - float_format(type).bias());
}

double decode_float(DType type, std::uint32_t bits) {
    const FloatFormat format = float_format(type);
    const std::uint32_t magnitude = bits & all_ones(format);
    const std::uint32_t fraction = magnitude & ((1U << format.fraction_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
    const int scale = std::max(exponent, 1) - format.bias() - format.fraction_bits;
    double value = std::ldexp(fraction + (exponent != 0 ? 1U << format.fraction_bits : 0U), scale);
    if (format.has_infinity && magnitude >= infinity(format))
        value = magnitude == infinity(format) ? std::numeric_limits<double>::infinity()
                                              : std::numeric_limits<double>::quiet_NaN();
    else if (!format.has_infinity && magnitude == all_ones(format))
        value = std::numeric_limits<double>::quiet_NaN();
    return (bits >> (format.bits() - 1)) != 0 ? -value : value;
}

std::uint32_t encode_float(DType type, double value) {
    const FloatFormat format = float_format(type);
    const std::uint32_t sign = std::signbit(value) ? 1U << (format.bits() - 1) : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return sign | quiet_nan(format);

    // The unit of the last place that the element will have; rint() ties to even.
    const int exponent = magnitude == 0 ? 1 - format.bias() : std::ilogb(magnitude);
    const int place = std::max(exponent, 1 - format.bias()) - format.fraction_bits;
    const double rounded = std::isinf(magnitude)
                               ? magnitude
                               : std::ldexp(std::rint(std::ldexp(magnitude, -place)), place);
    if (rounded > largest(type))
        return sign | (format.has_infinity ? infinity(format) : quiet_nan(format));
    if (rounded == 0) return sign;

    const int stored = std::ilogb(rounded) + format.bias();
    if (stored < 1)
        return sign | static_cast<std::uint32_t>(
                          std::ldexp(rounded, format.bias() - 1 + format.fraction_bits));
    const auto significand = static_cast<std::uint32_t>(
        std::ldexp(rounded, format.fraction_bits + format.bias() - stored));
    return sign | ((static_cast<std::uint32_t>(stored - 1) << format.fraction_bits) + significand);
}

double read_float(DType type, const std::byte* data, std::uint64_t index) {
    return decode_float(type, static_cast<std::uint32_t>(load(data, index, whole_bytes(type))));
}

std::int64_t read_integer(DType type, const std::byte* data, std::uint64_t index) {
    if (type == DType::Int4)
        return sign_extend(load(data, index / 2, 1) >> (4 * (index % 2)) & 0xF, 4);
    const std::size_t bytes = whole_bytes(type);
    return sign_extend(load(data, index, bytes), static_cast<unsigned>(8 * bytes));
}

void write_float(DType type, std::byte* data, std::uint64_t index, double value) {
    store(data, index, whole_bytes(type), encode_float(type, value));
}

void write_integer(DType type, std::byte* data, std::uint64_t index, std::int64_t value) {
    auto word = static_cast<std::uint64_t>(value);
    if (type == DType::Int4) {
        const unsigned shift = 4 * static_cast<unsigned>(index % 2);
        const std::uint64_t kept = load(data, index / 2, 1) & ~(std::uint64_t{0xF} << shift);
        store(data, index / 2, 1, kept | (word & 0xF) << shift);
        return;
    }
    store(data, index, whole_bytes(type), word);
}

}  // namespace tosa
