// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "tosa/encoding.hpp"
#include "tosa/types.hpp"

namespace cpu::reference {

// Of an integer type of whole bytes.
inline unsigned integer_bits(tosa::DType type) {
    return static_cast<unsigned>(8 * tosa::buffer_bytes(type, 1));
}

struct Range {
    std::int64_t min;
    std::int64_t max;

    [[nodiscard]] std::int64_t saturate(std::int64_t value) const {
        return std::clamp(value, min, max);
    }
};

inline Range signed_range(tosa::DType type) {
    const std::int64_t end = std::int64_t{1} << (integer_bits(type) - 1);
    return {-end, end - 1};
}

inline Range unsigned_range(tosa::DType type) {
    return {0, (std::int64_t{1} << integer_bits(type)) - 1};
}

}  // namespace cpu::reference
