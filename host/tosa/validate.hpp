// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/diagnostic.hpp"

namespace tosa {

// Holds each operator, in source order, against the rules for the target (providers.md
// 1.8). The structure around it is sound, and contents of values that are no constants
// have been dropped.
[[nodiscard]] Checked<void> validate(const Graph& graph);

}  // namespace tosa
