// SPDX-License-Identifier: MIT
#include "tosa/capability.hpp"

#include <algorithm>
#include <format>
#include <string_view>
#include <vector>

#include "tosa/checks.hpp"
#include "tosa/compile_time.hpp"
#include "tosa/diagnostic.hpp"
#include "tosa/number.hpp"
#include "tosa_generated.h"

namespace tosa {
namespace {

using Admission = std::expected<void, std::string>;

template <class... Args>
std::unexpected<std::string> outside(std::format_string<Args...> format, Args&&... args) {
    return std::unexpected(std::format(format, std::forward<Args>(args)...));
}

std::string_view role_name(std::uint32_t role) {
    switch (role) {
        case kRoleInput:
            return "a block input";
        case kRoleOutput:
            return "a block output";
        case kRoleConstant:
            return "a constant";
        default:
            return "an intermediate result";
    }
}

bool zero(const Value& value) {
    return is_float(value.type) ? read_float(value.type, value.data.data(), 0) == 0
                                : read_integer(value.type, value.data.data(), 0) == 0;
}

const flatbuffers::Vector<std::int32_t>* padding(const Operator& op) {
    switch (op.op) {
        case Op::AvgPool2d:
            return op.serialized->attribute_as_AvgPool2dAttribute()->pad();
        case Op::MaxPool2d:
            return op.serialized->attribute_as_MaxPool2dAttribute()->pad();
        case Op::Conv2d:
            return op.serialized->attribute_as_Conv2dAttribute()->pad();
        case Op::Conv3d:
            return op.serialized->attribute_as_Conv3dAttribute()->pad();
        case Op::DepthwiseConv2d:
            return op.serialized->attribute_as_DepthwiseConv2dAttribute()->pad();
        default:
            return nullptr;
    }
}

class Admitter {
 public:
    Admitter(const Descriptor& descriptor, const Graph& graph)
        : descriptor_(descriptor), graph_(graph), roles_(graph.values.size()) {}

    Admission admit() {
        if (graph_.target != descriptor_.target)
            return outside("the graph is for {}, not for {}", describe(graph_.target),
                           describe(descriptor_.target));
        if (auto admitted = admit_size(); !admitted) return admitted;
        for (OperatorId id = 0; id < graph_.operators.size(); ++id)
            if (const auto admitted = admit_operator(graph_.operators[id]); !admitted)
                return outside("{}: {}", operator_place(graph_, id), admitted.error());
        return admit_conditions().and_then([&] { return admit_types(); });
    }

 private:
    Admission admit_size() const {
        const GraphEnvelope& most = descriptor_.envelope;
        if (graph_.regions.size() > most.max_regions)
            return outside("{} regions, where {} are supported", graph_.regions.size(),
                           most.max_regions);
        if (graph_.blocks.size() > most.max_blocks)
            return outside("{} blocks, where {} are supported", graph_.blocks.size(),
                           most.max_blocks);
        return {};
    }

    Admission admit_operator(const Operator& op) const {
        const auto row = std::ranges::find(descriptor_.operators, op.op, &OperatorCapability::op);
        if (row == descriptor_.operators.end()) return outside("the operator is not supported");
        const auto demanded = [&](std::uint32_t bit) { return (row->constraints & bit) != 0; };
        if (demanded(kPropagatingNan) && nan_mode_of(op) == fbs::NanPropagationMode::IGNORE)
            return outside("only the NaN mode PROPAGATE is supported");
        const auto* pad = padding(op);
        if (demanded(kZeroPadding) && pad != nullptr &&
            std::ranges::any_of(*pad, [](std::int32_t side) { return side != 0; }))
            return outside("padding is not supported");
        for (const CompileTimeInput& input : compile_time_inputs(op.op))
            if (auto admitted = admit_parameter(op, input, row->constraints); !admitted)
                return admitted;
        return {};
    }

    Admission admit_parameter(const Operator& op, const CompileTimeInput& input,
                              std::uint32_t constraints) const {
        const Value& value = graph_.values[op.inputs[input.input]];
        const bool constant = value.constant();
        if ((constraints & kConstantParameters) != 0 && !constant)
            return outside("input {} is no constant", input.input);
        const bool must_be_zero =
            (input.use == ConstantUse::ZeroPoint && (constraints & kZeroZeroPoints) != 0) ||
            (input.use == ConstantUse::MulShift && (constraints & kZeroShift) != 0);
        if (must_be_zero && !(constant && zero(value)))
            return outside("input {}, {}, is not a constant zero", input.input, quoted(value.name));
        return {};
    }

    Admission admit_conditions() const {
        for (const OperatorCondition& condition : conditions_of(graph_)) {
            const std::uint32_t bit = 1U << condition.condition.index();
            if ((descriptor_.envelope.conditions & bit) == 0)
                return outside("{}: its operands must satisfy a condition at run time",
                               operator_place(graph_, condition.op));
        }
        return {};
    }

    // What other blocks than the first take and give stays inside the program.
    Admission admit_types() {
        for (const Block& block : std::span(graph_.blocks).subspan(1))
            for (const ValueId id : block.inputs)
                roles_[id] |= kRoleIntermediate;
        for (const ValueId id : graph_.inputs)
            roles_[id] |= kRoleInput;
        for (const ValueId id : graph_.outputs)
            roles_[id] |= kRoleOutput;
        for (ValueId id = 0; id < graph_.values.size(); ++id)
            if (auto admitted = admit_type(id); !admitted) return admitted;
        return admit_constants();
    }

    // A constant or a block input that is a block output has two roles.
    Admission admit_type(ValueId id) {
        const Value& value = graph_.values[id];
        if (value.type == DType::Shape) return {};
        std::uint32_t& roles = roles_[id];
        if (value.constant())
            roles |= kRoleConstant;
        else if (roles == 0 && value.producer != kNoId)
            roles |= kRoleIntermediate;
        if (roles != 0 && value.unranked && !descriptor_.envelope.dynamic_shapes)
            return outside("{} has no shape", quoted(value.name));
        for (std::uint32_t role = 1; role < kRoleAll; role <<= 1)
            if ((roles & role) != 0 && (allowed(value.type).roles & role) == 0)
                return outside("{} is of type {}, which is not supported for {}",
                               quoted(value.name), name(value.type), role_name(role));
        return {};
    }

    // Where constants of a type are parameters only, no other input may be one.
    Admission admit_constants() const {
        for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
            const Operator& op = graph_.operators[id];
            for (std::uint32_t i = 0; i < op.inputs.size(); ++i) {
                const Value& value = graph_.values[op.inputs[i]];
                if ((roles_[op.inputs[i]] & kRoleConstant) != 0 &&
                    allowed(value.type).parameter_only && !is_parameter(op.op, i))
                    return outside(
                        "{}: {} is a constant of type {}, which is supported for "
                        "parameters only",
                        operator_place(graph_, id), quoted(value.name), name(value.type));
            }
        }
        return {};
    }

    static bool is_parameter(Op op, std::uint32_t input) {
        return std::ranges::contains(compile_time_inputs(op), input, &CompileTimeInput::input);
    }

    [[nodiscard]] TypeCapability allowed(DType type) const {
        const auto row = std::ranges::find(descriptor_.types, type, &TypeCapability::type);
        return row == descriptor_.types.end() ? TypeCapability{.type = type} : *row;
    }

    const Descriptor& descriptor_;
    const Graph& graph_;
    std::vector<std::uint32_t> roles_;  // by value
};

}  // namespace

std::expected<void, std::string> admits(const Descriptor& descriptor, const Graph& graph) {
    return Admitter(descriptor, graph).admit();
}

}  // namespace tosa
