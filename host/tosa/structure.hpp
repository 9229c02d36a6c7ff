// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/diagnostic.hpp"

namespace tosa {

// Holds the graph around the operators against the rules for its target, in the order of
// providers.md 1.8: the target itself, references between regions, then in each block
// values, variables, inputs and outputs, and what connects them. Operators come in source
// order. Cycles are for execution_order() to find.
[[nodiscard]] Checked<void> check_structure(const Graph& graph);

}  // namespace tosa
