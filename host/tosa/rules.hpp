// SPDX-License-Identifier: MIT
//
// What TOSA demands of each operator (providers.md 1.8), one row an operator.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"

namespace tosa {

// An operator with its operands at hand, as the rules see it.
struct Subject {
    const Graph& graph;
    const Operator& op;
    LevelLimits level;

    [[nodiscard]] const Value& input(std::size_t i) const { return graph.values[op.inputs[i]]; }
    [[nodiscard]] const Value& output(std::size_t i) const { return graph.values[op.outputs[i]]; }
};

enum class Role : std::uint8_t {
    Tensor,
    Shape,      // compile-time constant
    ZeroPoint,  // compile-time constant of one element, zero unless INT8
};

struct OperandRule {
    Role role = Role::Tensor;
    std::uint8_t type = 0;  // column of TypeRule::types
    std::uint8_t min_rank = 0;
    std::uint8_t max_rank = 32;  // the level's limit applies as well
};

// One combination of data types, and what the target must have for it.
struct TypeRule {
    std::array<DType, 2> types;
    std::uint32_t profiles = 0;   // any of them
    std::uint64_t extension = 0;  // 0: none
};

struct OperatorRule {
    Op op;
    std::span<const OperandRule> inputs;
    std::span<const OperandRule> outputs;
    std::span<const TypeRule> types;
    Checked<void> (*check)(const Subject&);  // attributes, constants and shapes
};

// Null for an operator that this build does not validate yet.
[[nodiscard]] const OperatorRule* find_rule(Op op);

}  // namespace tosa
