// SPDX-License-Identifier: MIT
//
// Little-endian integers and packed structures, the only encoding on the wire.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace wire {

// The same operation in both directions.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T le(T value) {
    if constexpr (std::endian::native == std::endian::big) return std::byteswap(value);
    return value;
}

// A wire structure has alignment 1, so it can lie anywhere in a frame.
template <class T>
concept Packed = std::is_trivially_copyable_v<T> && alignof(T) == 1;

template <Packed T>
[[nodiscard]] std::span<std::byte, sizeof(T)> bytes_of(T& value) {
    return std::as_writable_bytes(std::span<T, 1>(&value, 1));
}

template <Packed T>
[[nodiscard]] std::array<std::byte, sizeof(T)> to_bytes(const T& value) {
    return std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
}

}  // namespace wire
