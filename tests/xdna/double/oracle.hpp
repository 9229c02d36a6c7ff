// SPDX-License-Identifier: MIT
//
// What kernels compute, in the plainest way and sharing nothing with the providers
// (providers.md 1.12, 2.5 and 4.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "xdna/spec.hpp"

namespace xrt_double {

using Bytes = std::span<const std::byte>;

// All spans are the spec's slots. Padding of the output is cleared.
void compute(const xdna::Spec& spec, std::span<const Bytes> inputs, std::span<std::byte> output);

[[nodiscard]] std::uint16_t bf16_bits(xdna::Fp8 format, std::uint8_t encoding);

}  // namespace xrt_double
