// SPDX-License-Identifier: MIT
//
// The files and words of the contract with a compiler (docs/providers/xdna-compiler.md).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "xdna/spec.hpp"

namespace xdna::contract {

inline constexpr int kSchema = 1;
inline constexpr int kExitToolchainMissing = 3;

inline constexpr const char* kSpecFile = "spec.json";
inline constexpr const char* kResultFile = "result.json";
inline constexpr const char* kXclbinFile = "kernel.xclbin";
inline constexpr const char* kInstructionFile = "instructions.bin";
inline constexpr std::uint64_t kMostResultBytes = 64 << 10;
inline constexpr std::uint64_t kMostInstructionBytes = 16 << 20;

// What the compiler is asked for.
[[nodiscard]] std::string spec_json(const Spec& spec);

// The versions of a toolchain in one canonical line; none if they are not in `json`.
[[nodiscard]] std::optional<std::string> read_versions(const std::string& json);

struct Result {
    std::string versions;
    std::string entry;
    std::vector<std::uint64_t> inputs, outputs;
};
struct NoResult {
    std::string stage;    // one of the contract's, or none
    std::string message;  // the compiler's own words
};
[[nodiscard]] std::expected<Result, NoResult> read_result(const std::string& json);

}  // namespace xdna::contract
