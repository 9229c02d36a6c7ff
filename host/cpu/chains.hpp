// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tosa/graph.hpp"

namespace cpu {

// For each operator the one that it is computed together with: itself, or the only reader
// of its result, or the one that goes with that. Only elementwise operators go together.
[[nodiscard]] std::vector<tosa::OperatorId> chain_ends(const tosa::Graph& graph);

}  // namespace cpu
