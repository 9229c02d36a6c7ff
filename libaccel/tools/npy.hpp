// SPDX-License-Identifier: MIT
//
// NumPy's .npy files, format 1.0 and 2.0: C order, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dtype.hpp"
#include "outcome.hpp"

namespace accelctl {

using Shape = std::vector<std::uint64_t>;

struct Array {
    Element element = Element::U1;
    Shape shape;                  // empty: a scalar
    std::vector<std::byte> data;  // exactly as many as the shape says
};

// A header is short; a file that claims otherwise is not read.
inline constexpr std::size_t kMaxHeaderBytes = 64 << 10;
inline constexpr std::size_t kMaxDimensions = 32;

// The file may hold anything: what this returns is well-formed.
[[nodiscard]] Outcome<Array> parse_npy(std::span<const std::byte> file);

[[nodiscard]] std::vector<std::byte> format_npy(const Array& array);

// "[1, 28, 28]"
[[nodiscard]] std::string to_string(const Shape& shape);

}  // namespace accelctl
