// SPDX-License-Identifier: MIT
#include "dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tosa_generated.h"

namespace accelctl {

namespace {

static_assert(std::endian::native == std::endian::little, "files and tensors are little-endian");

struct ElementRow {
    std::string_view descr;
    std::size_t bytes;
};
constexpr std::array<ElementRow, 9> kElements{{{"|b1", 1},
                                               {"|i1", 1},
                                               {"|u1", 1},
                                               {"<i2", 2},
                                               {"<u2", 2},
                                               {"<f2", 2},
                                               {"<i4", 4},
                                               {"<f4", 4},
                                               {"<i8", 8}}};

// providers.md 1.2: extension bits.
constexpr std::uint64_t kInt16 = 1U << 0;
constexpr std::uint64_t kInt4 = 1U << 1;
constexpr std::uint64_t kBf16 = 1U << 2;
constexpr std::uint64_t kFp8E4M3 = 1U << 3;
constexpr std::uint64_t kFp8E5M2 = 1U << 4;

// providers.md 1.7: sizes.
constexpr std::array<std::pair<DType, TypeInfo>, 11> kTypes{{
    {DType::BOOL, {"BOOL", Element::B1, 8, false, 0}},
    {DType::INT4, {"INT4", Element::U1, 4, false, kInt4}},
    {DType::INT8, {"INT8", Element::I1, 8, false, 0}},
    {DType::INT16, {"INT16", Element::I2, 16, false, kInt16}},
    {DType::INT32, {"INT32", Element::I4, 32, false, 0}},
    {DType::INT48, {"INT48", Element::U1, 48, false, kInt16}},
    {DType::FP32, {"FP32", Element::F4, 32, true, 0}},
    {DType::FP16, {"FP16", Element::F2, 16, true, 0}},
    {DType::BF16, {"BF16", Element::U2, 16, true, kBf16}},
    {DType::FP8E4M3, {"FP8E4M3", Element::U1, 8, true, kFp8E4M3}},
    {DType::FP8E5M2, {"FP8E5M2", Element::U1, 8, true, kFp8E5M2}},
}};

template <class T>
T load(std::span<const std::byte> contents, std::size_t index) {
    T value;
    std::memcpy(&value, contents.subspan(index * sizeof(T), sizeof(T)).data(), sizeof(T));
    return value;
}

// A binary floating-point number with an implicit leading bit. `infinities` says
// whether the largest exponent is reserved, as in IEEE 754; in FP8E4M3 only its
// largest significand is, for NaN.
double decode_float(std::uint32_t bits, int exponent_bits, int fraction_bits, bool infinities) {
    const std::uint32_t fraction_mask = (1U << fraction_bits) - 1;
    const std::uint32_t exponent_mask = (1U << exponent_bits) - 1;
    const std::uint32_t fraction = bits & fraction_mask;
    const std::uint32_t exponent = (bits >> fraction_bits) & exponent_mask;
    const bool negative = ((bits >> (fraction_bits + exponent_bits)) & 1) != 0;
    const int bias = (1 << (exponent_bits - 1)) - 1;

    double magnitude = 0;
    if (exponent == exponent_mask && infinities)
        magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == exponent_mask && fraction == fraction_mask)
        magnitude = std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
    else
        magnitude = std::ldexp(fraction | (1U << fraction_bits),
                               static_cast<int>(exponent) - bias - fraction_bits);
    return negative ? -magnitude : magnitude;
}

// Two to a byte, low nibble first.
int decode_int4(std::span<const std::byte> contents, std::size_t index) {
    const int nibble = std::to_integer<int>(contents[index / 2] >> (index % 2 * 4)) & 0xF;
    return nibble < 8 ? nibble : nibble - 16;
}

std::int64_t decode_int48(std::span<const std::byte> contents, std::size_t index) {
    std::uint64_t value = 0;
    std::memcpy(&value, contents.subspan(index * 6, 6).data(), 6);
    return static_cast<std::int64_t>(value << 16) >> 16;
}

}  // namespace

std::size_t bytes(Element element) {
    return kElements[static_cast<std::size_t>(element)].bytes;
}

std::string_view descr(Element element) {
    return kElements[static_cast<std::size_t>(element)].descr;
}

std::optional<Element> element_of(std::string_view descr) {
    const auto* row = std::ranges::find(kElements, descr, &ElementRow::descr);
    if (row == kElements.end()) return std::nullopt;
    return static_cast<Element>(row - kElements.begin());
}

const TypeInfo* info(DType type) {
    const auto* row =
        std::ranges::find(kTypes, type, [](const auto& entry) { return entry.first; });
    return row == kTypes.end() ? nullptr : &row->second;
}

std::optional<std::uint64_t> tensor_bytes(DType type, std::uint64_t elements) {
    std::uint64_t bits = 0;
    if (__builtin_mul_overflow(elements, info(type)->bits, &bits)) return std::nullopt;
    return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

double value_at(DType type, std::span<const std::byte> contents, std::size_t index) {
    switch (type) {
        case DType::INT4:
            return decode_int4(contents, index);
        case DType::INT48:
            return static_cast<double>(decode_int48(contents, index));
        case DType::FP32:
            return load<float>(contents, index);
        case DType::FP16:
            return decode_float(load<std::uint16_t>(contents, index), 5, 10, true);
        case DType::BF16:
            return decode_float(load<std::uint16_t>(contents, index), 8, 7, true);
        case DType::FP8E5M2:
            return decode_float(load<std::uint8_t>(contents, index), 5, 2, true);
        case DType::FP8E4M3:
            return decode_float(load<std::uint8_t>(contents, index), 4, 3, false);
        default:
            return static_cast<double>(integer_at(info(type)->element, contents, index));
    }
}

std::int64_t integer_at(Element element, std::span<const std::byte> contents, std::size_t index) {
    switch (element) {
        case Element::B1:
        case Element::U1:
            return load<std::uint8_t>(contents, index);
        case Element::I1:
            return load<std::int8_t>(contents, index);
        case Element::I2:
            return load<std::int16_t>(contents, index);
        case Element::U2:
            return load<std::uint16_t>(contents, index);
        case Element::I4:
            return load<std::int32_t>(contents, index);
        case Element::I8:
            return load<std::int64_t>(contents, index);
        case Element::F2:
        case Element::F4:
            break;
    }
    std::unreachable();
}

}  // namespace accelctl
