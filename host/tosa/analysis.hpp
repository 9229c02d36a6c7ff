// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/graph.hpp"

namespace tosa {

// Marks a valid graph in execution order with what providers.md 1.9 has of it: first and
// last uses, dead operators, and hints for optimizers. Nothing is rewritten.
void analyze(Graph& graph, const AnalysisOptions& options);

}  // namespace tosa
