// SPDX-License-Identifier: MIT
//
// What a caller has to know of a TOSA program to run it: its inputs and outputs and
// the target that its types call for. The provider on the host judges the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "npy.hpp"

namespace accelctl {

inline constexpr std::uint32_t kTosaFormat = 0x544F5341;  // "TOSA", big-endian

struct Tensor {
    std::string name;
    DType type{};
    Shape shape;
    std::uint64_t bytes = 0;  // in a buffer, not zero

    // How it travels in a file: packed types as a row of bytes.
    [[nodiscard]] Shape file_shape() const;
    [[nodiscard]] Element file_element() const;
};

struct Model {
    std::vector<Tensor> inputs;   // of binding slots 0..N-1
    std::vector<Tensor> outputs;  // of binding slots N..N+M-1
    std::array<std::uint32_t, 12> target{};
    std::uint64_t resident_bytes = 0;  // enough for the program and all its tensors

    // "FLOATING_POINT 8K": the words above for a reader.
    [[nodiscard]] std::string target_name() const;
    // The inputs and outputs, a line each.
    [[nodiscard]] std::string table() const;
};

// The file may hold anything.
[[nodiscard]] Outcome<Model> describe(std::span<const std::byte> file);

}  // namespace accelctl
