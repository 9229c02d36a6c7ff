// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tosa/graph.hpp"

namespace inspect {

// The graph as text, block after block, an operator a line, in execution order.
[[nodiscard]] std::string dump(const tosa::Graph& graph);

}  // namespace inspect
