// SPDX-License-Identifier: MIT
#include "tosa/encoding.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tosa {
namespace {

static_assert(std::endian::native == std::endian::little, "constants are used in place");

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kTooLarge : product;
}

// Zero for types whose elements are not whole bytes or that no buffer holds.
std::uint64_t width(DType type) {
    switch (type) {
        case DType::Bool:
        case DType::Int8:
        case DType::Fp8E4M3:
        case DType::Fp8E5M2:
            return 1;
        case DType::Int16:
        case DType::Fp16:
        case DType::Bf16:
            return 2;
        case DType::Int32:
        case DType::Fp32:
            return 4;
        case DType::Int48:
            return 6;
        case DType::Shape:
            return 8;
        case DType::Int4:
        case DType::Unknown:
            break;
    }
    return 0;
}

template <class T>
T load(std::span<const std::byte> data, std::size_t index = 0) {
    T value;
    std::memcpy(&value, data.data() + index * sizeof value, sizeof value);
    return value;
}

bool valid_int4_pair(std::byte pair) {
    constexpr std::byte kReserved{0x8};  // -8
    return (pair & std::byte{0xF}) != kReserved && (pair >> 4) != kReserved;
}

bool valid_int48(std::int64_t value) {
    constexpr std::int64_t kEnd = std::int64_t{1} << 47;
    return value >= -kEnd && value < kEnd;
}

}  // namespace

std::uint64_t element_count(std::span<const std::int32_t> dims) {
    std::uint64_t count = 1;
    for (const std::int32_t dim : dims)
        count = multiply(count, static_cast<std::uint64_t>(dim));
    return count;
}

std::uint64_t buffer_bytes(DType type, std::uint64_t elements) {
    if (type == DType::Int4) return elements / 2 + elements % 2;
    return multiply(elements, width(type));
}

std::uint64_t constant_bytes(DType type, std::uint64_t elements) {
    return type == DType::Int48 ? multiply(elements, 8) : buffer_bytes(type, elements);
}

std::uint64_t level_bytes(DType type, std::uint64_t elements) {
    return type == DType::Int4 ? elements : buffer_bytes(type, elements);
}

bool valid_encoding(DType type, std::span<const std::byte> data) {
    switch (type) {
        case DType::Bool:
            return std::ranges::all_of(data, [](std::byte b) { return b <= std::byte{1}; });
        case DType::Int4:
            return std::ranges::all_of(data, valid_int4_pair);
        case DType::Int48:
            for (std::size_t i = 0; i < data.size() / 8; ++i)
                if (!valid_int48(load<std::int64_t>(data, i))) return false;
            return true;
        default:
            return true;
    }
}

std::optional<double> decode_scalar(DType type, std::span<const std::byte> data) {
    if (data.size() != width(type)) return std::nullopt;
    switch (type) {
        case DType::Int8:
            return load<std::int8_t>(data);
        case DType::Int16:
            return load<std::int16_t>(data);
        case DType::Int32:
            return load<std::int32_t>(data);
        case DType::Fp16:
            return static_cast<double>(load<_Float16>(data));
        case DType::Bf16:
            return std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(data)} << 16);
        case DType::Fp32:
            return load<float>(data);
        default:
            return std::nullopt;
    }
}

std::int64_t shape_value(std::span<const std::byte> shape_data, std::size_t index) {
    return load<std::int64_t>(shape_data, index);
}

}  // namespace tosa
