// SPDX-License-Identifier: MIT
//
// What a valid graph still demands when it runs (providers.md 1.10): validation has seen
// everything that the file says, not what the operands will hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "tosa/graph.hpp"

namespace tosa {

// An input that TOSA wants as a constant and that is none in the file, which EXT-DYNAMIC
// allows.
struct DynamicInput {
    std::uint32_t input = 0;
    ValueId value = kNoId;
    bool required_error_check = false;  // else the result of a bad value is unpredictable

    friend bool operator==(const DynamicInput&, const DynamicInput&) = default;
};

struct ShiftInRange {  // 0 to max
    std::uint32_t max = 0;

    friend bool operator==(const ShiftInRange&, const ShiftInRange&) = default;
};

struct NonZero {  // the divisor
    friend bool operator==(const NonZero&, const NonZero&) = default;
};

struct Int32MultiplyInRange {  // no product overflows
    friend bool operator==(const Int32MultiplyInRange&, const Int32MultiplyInRange&) = default;
};

struct PowDomain {  // finite operands, a base that is not negative, 0 to positive powers only
    friend bool operator==(const PowDomain&, const PowDomain&) = default;
};

struct IndicesInRange {  // 0 to bound - 1
    std::uint32_t bound = 0;

    friend bool operator==(const IndicesInRange&, const IndicesInRange&) = default;
};

struct ScatterIndicesUnique {
    friend bool operator==(const ScatterIndicesUnique&, const ScatterIndicesUnique&) = default;
};

struct VariableState {  // outlives the run
    friend bool operator==(const VariableState&, const VariableState&) = default;
};

struct Custom {  // means what its domain says
    std::string_view domain;
    std::string_view name;

    friend bool operator==(const Custom&, const Custom&) = default;
};

using Condition = std::variant<DynamicInput, ShiftInRange, NonZero, Int32MultiplyInRange, PowDomain,
                               IndicesInRange, ScatterIndicesUnique, VariableState, Custom>;

enum class Nature : std::uint8_t {
    Required,  // to be checked before the run, which a violation forbids
    Advisory,  // a violation makes the result unpredictable
    State,     // concerns what other runs do
    Provider,  // the provider's own matter
};

[[nodiscard]] Nature nature(const Condition& condition);

struct OperatorCondition {
    OperatorId op = kNoId;
    Condition condition;

    friend bool operator==(const OperatorCondition&, const OperatorCondition&) = default;
};

// The conditions of an analysed graph in execution order, those of one operator ordered by
// input. A dead operator has its conditions, too: that it is dead is a hint.
[[nodiscard]] std::vector<OperatorCondition> conditions_of(const Graph& graph);

}  // namespace tosa
