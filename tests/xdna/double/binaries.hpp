// SPDX-License-Identifier: MIT
//
// What the double takes for compiled kernels: an xclbin of no sections with the text of a spec
// behind its header, and instructions that are made of the same text. No array could run them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "xdna/binary.hpp"
#include "xdna/spec.hpp"

namespace xrt_double {

inline constexpr const char* kEntry = "MLIR_AIE";

[[nodiscard]] std::vector<std::byte> xclbin(const xdna::Spec& spec);
[[nodiscard]] std::vector<std::uint32_t> instructions(const xdna::Spec& spec);
[[nodiscard]] xdna::Binary binary(const xdna::Spec& spec);

// Nothing for any other bytes.
[[nodiscard]] std::optional<xdna::Spec> spec_of(std::span<const std::byte> xclbin);

}  // namespace xrt_double
