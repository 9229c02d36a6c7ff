// SPDX-License-Identifier: MIT
//
// Element types: those of .npy files that the tool reads and writes, and those of
// TOSA tensors, each of which travels in a file as one of the former.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tosa::fbs {
enum class DType : std::uint32_t;
}

namespace accelctl {

using tosa::fbs::DType;

enum class Element : std::uint8_t { B1, I1, U1, I2, U2, F2, I4, F4, I8 };

[[nodiscard]] std::size_t bytes(Element element);
[[nodiscard]] std::string_view descr(Element element);  // NumPy's: "<f4"
[[nodiscard]] std::optional<Element> element_of(std::string_view descr);

struct TypeInfo {
    std::string_view name;  // "FP32"
    Element element;        // BF16 and FP8 are raw bits; INT4 and INT48 raw bytes
    unsigned bits;          // of an element in a buffer
    bool floating;
    std::uint64_t extension;  // TOSA extension bit that having such tensors calls for

    // Whether elements in a buffer are laid out as in a file.
    [[nodiscard]] bool packed() const { return bits != 8 * bytes(element); }
};

// Null for a number that is not a type of a tensor.
[[nodiscard]] const TypeInfo* info(DType type);

// Bytes of a tensor in a buffer; nothing if they do not fit in 64 bits.
[[nodiscard]] std::optional<std::uint64_t> tensor_bytes(DType type, std::uint64_t elements);

// One element as a number. `index` is within the tensor that `contents` holds.
[[nodiscard]] double value_at(DType type, std::span<const std::byte> contents, std::size_t index);

// An integer element of an array.
[[nodiscard]] std::int64_t integer_at(Element element, std::span<const std::byte> contents,
                                      std::size_t index);

}  // namespace accelctl
