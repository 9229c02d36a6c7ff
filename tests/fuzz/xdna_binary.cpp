// SPDX-License-Identifier: MIT
//
// Containers of kernels: whatever the bytes, a binary that is accepted has those bytes.
#include <algorithm>

#include "fuzz/input.hpp"
#include "xdna/binary.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto binary = xdna::from_container(bytes);
    if (!binary) return 0;
    fuzz::require(!binary->inputs.empty() && !binary->outputs.empty() &&
                      !binary->instructions.empty() && !binary->entry.empty(),
                  "a kernel has all its parts");
    fuzz::require(std::ranges::equal(xdna::to_container(*binary), bytes),
                  "a binary has one container");
    return 0;
}
