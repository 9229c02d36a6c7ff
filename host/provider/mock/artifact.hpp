// SPDX-License-Identifier: MIT
//
// The reference artifact: one byte operation on one or two bindings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "provider/mock/mock.hpp"

namespace mock {

enum class Operation : std::uint8_t { Barrier = 0, Copy = 1, Fill = 2, Xor = 3 };

struct Artifact {
    Operation operation = Operation::Barrier;
    std::uint32_t first_slot = 0;            // Copy: the source
    std::uint32_t second_slot = 0xFFFFFFFF;  // Copy: the destination
    std::byte operand{0};                    // Fill and Xor
};

[[nodiscard]] provider::Result<Artifact> decode(std::span<const std::byte, kArtifactBytes> bytes);
[[nodiscard]] std::array<std::byte, kArtifactBytes> encode(const Artifact& artifact);

// Whether the bindings, in slot order, are what the operation takes.
[[nodiscard]] bool accepts(const Artifact& artifact, std::span<const provider::Binding> bindings);

}  // namespace mock
