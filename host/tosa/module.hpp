// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "tosa/diagnostic.hpp"
#include "tosa/file.hpp"
#include "tosa/limits.hpp"

namespace tosa {

// Reads all regions and blocks in one pass. Names are unique in their scope, and
// references resolve; nothing has been held against a target. `bytes` is where
// external constants lie.
[[nodiscard]] Checked<Graph> read_module(const File& file, std::span<const std::byte> bytes,
                                         const Limits& limits);

}  // namespace tosa
