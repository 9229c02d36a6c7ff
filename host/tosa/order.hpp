// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "tosa/diagnostic.hpp"

namespace tosa {

// The execution order of operators that come in source order: block after block, and in
// each Kahn's algorithm with a queue seeded in source order, so the same file gives the same
// order everywhere. What touches variables keeps its source order. A cycle is malformed.
[[nodiscard]] Checked<std::vector<OperatorId>> execution_order(const Graph& graph);

// Puts the operators into that order, and the values' producers with them.
void apply_order(Graph& graph, std::span<const OperatorId> order);

}  // namespace tosa
