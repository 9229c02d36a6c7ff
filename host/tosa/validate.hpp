// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/diagnostic.hpp"

namespace tosa {

// Holds a block in source order against the rules for its target (providers.md
// 1.8). Constant contents of values that no CONST or CONST_SHAPE produces have
// been dropped.
[[nodiscard]] Checked<void> validate(const Graph& graph);

}  // namespace tosa
