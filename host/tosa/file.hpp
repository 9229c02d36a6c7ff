// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "tosa/census.hpp"
#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"
#include "tosa_generated.h"

namespace tosa {

struct File {
    const fbs::TosaGraph* graph;
    Census census;  // within the limits
};

// Decides from the contents whether `bytes` are a TOSA file that this build reads:
// every offset in it leads to something in bounds, and its version is 1.0.0. What
// the file says is not looked at.
[[nodiscard]] Checked<File> open_file(std::span<const std::byte> bytes, const Limits& limits);

}  // namespace tosa
