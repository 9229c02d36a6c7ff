// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/diagnostic.hpp"

namespace tosa {

// Puts the operators of a block, which come in source order, into execution order:
// Kahn's algorithm with a queue seeded in source order, so the same file gives the
// same order everywhere. Then marks dead operators and each value's last use.
// A cycle is malformed.
[[nodiscard]] Checked<void> order(Graph& graph);

}  // namespace tosa
