// SPDX-License-Identifier: MIT
//
// What TOSA demands of each operator (providers.md 1.8), one row an operator.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"
#include "tosa_generated.h"

namespace tosa {

// Constants that RESCALE's rules have read through and found sound, which is once for each,
// however many operators a hostile file lets use it. Multipliers and shifts are of different
// types, so none is sound as the one and used as the other.
class SoundConstants {
 public:
    [[nodiscard]] bool contain(ValueId id) const { return id < sound_.size() && sound_[id]; }
    void add(ValueId id) {
        if (id >= sound_.size()) sound_.resize(std::size_t{id} + 1);
        sound_[id] = true;
    }

 private:
    std::vector<bool> sound_;
};

// An operator with its operands at hand, as the rules see it.
struct Subject {
    const Graph& graph;
    const Operator& op;
    LevelLimits level;
    SoundConstants& sound;

    [[nodiscard]] const Value& input(std::size_t i) const { return graph.values[op.inputs[i]]; }
    [[nodiscard]] const Value& output(std::size_t i) const { return graph.values[op.outputs[i]]; }
    // The operator's own table: its tag has been checked.
    template <class Table>
    [[nodiscard]] const Table& attribute() const {
        return *op.serialized->attribute_as<Table>();
    }
};

enum class Role : std::uint8_t {
    Tensor,
    Shape,      // compile-time constant
    Constant,   // tensor, compile-time constant
    ZeroPoint,  // compile-time constant of one element (providers.md 1.8.3)
};

// Where the type of an operand comes from: a column of TypeRule, or one certain type.
enum class Column : std::uint8_t { Value, Result, Weight, Int8, Int32, Bool, Any };

enum class RankOf : std::uint8_t { Any, FirstInput, FirstInputLessOne };

struct OperandRule {
    Role role = Role::Tensor;
    Column column = Column::Value;
    std::uint8_t min_rank = 0;  // of a shape operand: its length
    std::uint8_t max_rank = 32;
    RankOf rank_of = RankOf::Any;
};

// A list operand, which comes last, has every operand from here on.
struct OperandRules {
    std::span<const OperandRule> single;
    const OperandRule* list = nullptr;
    std::uint8_t min_list = 0;
};

// One combination of data types, and what the target must have for it.
struct TypeRule {
    DType value;
    DType result;
    std::uint32_t profiles = 0;          // any of them
    std::uint64_t extension = 0;         // 0: none
    DType weight = DType::Unknown;       // second operand of convolutions, table of TABLE
    DType accumulator = DType::Unknown;  // the attribute acc_type of operators that have one
};

using Check = Checked<void> (*)(const Subject&);

struct OperatorRule {
    Op op;
    OperandRules inputs{};
    OperandRules outputs{};
    std::span<const TypeRule> types{};
    bool each_type = false;       // `types` holds for each operand by itself
    std::uint64_t extension = 0;  // that the operator needs, whatever the types
    Check attributes = nullptr;
    Check constants = nullptr;  // what the contents of constants are
    Check shapes = nullptr;
};

// Of the opcodes 1..75, which the parser lets through.
[[nodiscard]] const OperatorRule& find_rule(Op op);

// All of providers.md 1.8.1 to 1.8.4, in that order.
[[nodiscard]] Checked<void> check_operator(const Subject& subject);

}  // namespace tosa
