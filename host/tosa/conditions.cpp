// SPDX-License-Identifier: MIT
#include "tosa/conditions.hpp"

#include "tosa/compile_time.hpp"
#include "tosa_generated.h"

namespace tosa {
namespace {

std::uint32_t largest_shift(DType type) {
    return type == DType::Int32 ? 31 : type == DType::Int16 ? 15 : 7;
}

std::string_view view(const flatbuffers::String* text) {
    return text == nullptr ? std::string_view() : text->string_view();
}

class Collector {
 public:
    explicit Collector(const Graph& graph) : graph_(graph) {}

    std::vector<OperatorCondition> collect() && {
        for (op_ = 0; op_ < graph_.operators.size(); ++op_) {
            add_dynamic_inputs(graph_.operators[op_]);
            add_own(graph_.operators[op_]);
        }
        return std::move(conditions_);
    }

 private:
    void add(Condition condition) { conditions_.push_back({op_, condition}); }

    void add_dynamic_inputs(const Operator& op) {
        for (const CompileTimeInput& row : compile_time_inputs(op.op)) {
            const ValueId id = op.inputs[row.input];
            if (!graph_.values[id].constant())
                add(DynamicInput{.input = row.input,
                                 .value = id,
                                 .required_error_check = required_error_check(row.use)});
        }
    }

    void add_own(const Operator& op) {
        switch (op.op) {
            case Op::ArithmeticRightShift:
            case Op::LogicalLeftShift:
            case Op::LogicalRightShift:
                return add(ShiftInRange{largest_shift(input(op, 0).type)});
            case Op::IntDiv:
                return add(NonZero{});
            case Op::Mul:
                if (input(op, 0).type == DType::Int32) add(Int32MultiplyInRange{});
                return;
            case Op::Pow:
                return add(PowDomain{});
            case Op::Gather:
                return add(indices_in_range(op));
            case Op::Scatter:
                add(indices_in_range(op));
                return add(ScatterIndicesUnique{});
            case Op::VariableRead:
            case Op::VariableWrite:
                return add(VariableState{});
            case Op::Custom: {
                const auto& attribute = *op.serialized->attribute_as_CustomAttribute();
                return add(Custom{.domain = view(attribute.domain_name()),
                                  .name = view(attribute.operator_name())});
            }
            default:
                return;
        }
    }

    [[nodiscard]] const Value& input(const Operator& op, std::size_t i) const {
        return graph_.values[op.inputs[i]];
    }

    // The data are [N,K,C], the indices point into K.
    [[nodiscard]] IndicesInRange indices_in_range(const Operator& op) const {
        return {static_cast<std::uint32_t>(input(op, 0).dims[1])};
    }

    const Graph& graph_;
    OperatorId op_ = 0;
    std::vector<OperatorCondition> conditions_;
};

}  // namespace

Nature nature(const Condition& condition) {
    if (const auto* dynamic = std::get_if<DynamicInput>(&condition))
        return dynamic->required_error_check ? Nature::Required : Nature::Advisory;
    if (std::holds_alternative<VariableState>(condition)) return Nature::State;
    if (std::holds_alternative<Custom>(condition)) return Nature::Provider;
    return Nature::Advisory;
}

std::vector<OperatorCondition> conditions_of(const Graph& graph) {
    return Collector(graph).collect();
}

}  // namespace tosa
