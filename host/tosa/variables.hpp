// SPDX-License-Identifier: MIT
//
// Variables: tensors that keep their contents from one run of a program to the next. What
// carries the same variable name is the same variable, in whatever block.
#pragma once

#include "tosa/diagnostic.hpp"

namespace tosa {

[[nodiscard]] constexpr bool is_variable_operator(Op op) {
    return op == Op::Variable || op == Op::VariableWrite || op == Op::VariableRead;
}

// A variable has a name and a target that knows variables; what is none has no such name.
[[nodiscard]] Checked<void> check_variable(const Value& value, const Target& target);

// Tensors of one variable are of one type and shape, and start with the same contents.
[[nodiscard]] Checked<void> check_variables_agree(const Graph& graph);

}  // namespace tosa
