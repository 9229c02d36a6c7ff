// SPDX-License-Identifier: MIT
//
// How elements are stored (providers.md 1.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "tosa/types.hpp"

namespace tosa {

// Stands for sizes that no 64-bit count holds: larger than every limit.
inline constexpr std::uint64_t kTooLarge = std::numeric_limits<std::uint64_t>::max();

[[nodiscard]] std::uint64_t element_count(std::span<const std::int32_t> dims);

// Contents in a buffer: INT4 packs two a byte, INT48 takes six bytes.
[[nodiscard]] std::uint64_t buffer_bytes(DType type, std::uint64_t elements);

// A serialized constant: as in a buffer, but INT48 takes eight bytes.
[[nodiscard]] std::uint64_t constant_bytes(DType type, std::uint64_t elements);

// What a level counts: as in a buffer, but INT4 takes a whole byte.
[[nodiscard]] std::uint64_t level_bytes(DType type, std::uint64_t elements);

// False where a constant holds something that is no value of its type.
[[nodiscard]] bool valid_encoding(DType type, std::span<const std::byte> data);

// The number that one serialized element of up to 32 bits stands for, exactly.
// Nothing where `data` is not exactly one element of such a type.
[[nodiscard]] std::optional<double> decode_scalar(DType type, std::span<const std::byte> data);

[[nodiscard]] std::int64_t shape_value(std::span<const std::byte> shape_data, std::size_t index);

}  // namespace tosa
