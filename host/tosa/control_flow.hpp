// SPDX-License-Identifier: MIT
//
// COND_IF and WHILE_LOOP, which name other regions of the file.
#pragma once

#include "tosa/rules.hpp"

namespace tosa {

[[nodiscard]] constexpr bool is_control_flow(Op op) {
    return op == Op::CondIf || op == Op::WhileLoop;
}

// Every region that an operator names is there, none leads back to itself, and they nest
// no deeper than the level allows. Iterative, so no file makes it run out of stack.
[[nodiscard]] Checked<void> check_region_references(const Graph& graph);

// The operands of a COND_IF or WHILE_LOOP, which are sound as such, are those of the
// regions that it names.
[[nodiscard]] Checked<void> check_signature(const Subject& subject);

}  // namespace tosa
