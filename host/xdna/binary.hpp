// SPDX-License-Identifier: MIT
//
// A compiled kernel, as it is kept in files and may come from whoever is trusted with raw
// ones: a container of our own, because the instructions of other runtimes look the same and
// are not (providers.md 4.9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "provider/error.hpp"

namespace xdna {

inline constexpr std::uint32_t kBinaryFormat = 0x5852544E;  // "XRTN", big-endian

// What a container says of its contents. Of other values nothing is loaded.
inline constexpr std::uint32_t kContainerVersion = 1;
inline constexpr std::uint32_t kInstructionAbi = 1;  // DDR addresses folded in, as XRT has it
inline constexpr std::uint32_t kGeneration = 2;      // of the array: AIE2P

// What a container is limited to.
inline constexpr std::uint64_t kBinaryBytes = 64ULL << 20;

struct Binary {
    std::string entry;                   // the kernel's name in the xclbin
    std::vector<std::uint64_t> inputs;   // bytes of each slot
    std::vector<std::uint64_t> outputs;  // of the slots after those
    std::vector<std::byte> xclbin;
    std::vector<std::uint32_t> instructions;
    friend bool operator==(const Binary&, const Binary&) = default;
};

[[nodiscard]] std::vector<std::byte> to_container(const Binary& binary);
// InvalidArgument, or Incompatible where version or instructions are of another kind.
// May throw bad_alloc.
[[nodiscard]] provider::Result<Binary> from_container(std::span<const std::byte> bytes);

}  // namespace xdna
