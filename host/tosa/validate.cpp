// SPDX-License-Identifier: MIT
#include "tosa/validate.hpp"

#include <algorithm>

#include "tosa/encoding.hpp"
#include "tosa/rules.hpp"

namespace tosa {
namespace {

Checked<void> check_shape_values(const Value& shape, std::uint32_t log2_size) {
    const std::int64_t last = static_cast<std::int64_t>((std::uint64_t{1} << log2_size) - 1);
    for (std::size_t i = 0; i < shape.data.size() / sizeof(std::int64_t); ++i) {
        const std::int64_t value = shape_value(shape.data, i);
        if (value < -last - 1 || value > last)
            return malformed("shape {} holds {}, outside the level's range", quoted(shape.name),
                             value);
    }
    return {};
}

Checked<void> check_level(const Value& value, std::uint32_t log2_size) {
    if (value.type == DType::Shape) return check_shape_values(value, log2_size);
    const std::uint64_t largest = (std::uint64_t{1} << log2_size) - 1;
    if (level_bytes(value.type, value.elements) > largest)
        return malformed("tensor {} of {} {} is larger than the level's {} bytes",
                         quoted(value.name), name(value.type), text(value.dims), largest);
    return {};
}

// A value that something reads must come from somewhere.
Checked<void> check_source(const Graph& graph, ValueId id, std::span<const ValueId> sorted_inputs) {
    const Value& value = graph.values[id];
    if (value.producer != kNoId || std::ranges::binary_search(sorted_inputs, id)) return {};
    return malformed("{} is neither a block input nor produced by an operator", quoted(value.name));
}

Checked<void> check_dataflow(const Graph& graph) {
    std::vector<ValueId> inputs = graph.inputs;
    std::ranges::sort(inputs);
    if (const auto twice = std::ranges::adjacent_find(inputs); twice != inputs.end())
        return malformed("block input {} is listed twice", quoted(graph.values[*twice].name));
    for (const ValueId id : inputs)
        if (graph.values[id].producer != kNoId)
            return malformed("block input {} is produced by operator {}",
                             quoted(graph.values[id].name), graph.values[id].producer);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
        if (graph.values[id].consumers == 0) continue;
        if (auto connected = check_source(graph, id, inputs); !connected) return connected;
    }
    for (const ValueId id : graph.outputs)
        if (auto connected = check_source(graph, id, inputs); !connected) return connected;
    return {};
}

Checked<void> check_operand(const Value& value, const OperandRule& rule, LevelLimits level) {
    const bool is_shape = value.type == DType::Shape;
    if (is_shape != (rule.role == Role::Shape))
        return malformed("{} is a {}, where a {} is wanted", quoted(value.name),
                         is_shape ? "shape" : "tensor", is_shape ? "tensor" : "shape");
    if (is_shape) return {};
    const std::size_t max_rank = std::min<std::size_t>(rule.max_rank, level.rank);
    if (value.rank() < rule.min_rank || value.rank() > max_rank)
        return malformed("{} has rank {}, outside {} to {}", quoted(value.name), value.rank(),
                         rule.min_rank, max_rank);
    return {};
}

Checked<void> check_operands(const Subject& subject, std::span<const ValueId> ids,
                             std::span<const OperandRule> rules, std::string_view direction) {
    if (ids.size() != rules.size())
        return malformed("it has {} {}s, where {} are wanted", ids.size(), direction, rules.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (const auto operand =
                check_operand(subject.graph.values[ids[i]], rules[i], subject.level);
            !operand)
            return std::unexpected(at(std::format("{} {}", direction, i), operand.error()));
    return {};
}

bool matches(const TypeRule& types, const Graph& graph, std::span<const ValueId> ids,
             std::span<const OperandRule> rules) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (rules[i].role != Role::Shape &&
            graph.values[ids[i]].type != types.types.at(rules[i].type))
            return false;
    return true;
}

std::string type_list(const Graph& graph, std::span<const ValueId> ids) {
    std::string list;
    for (const ValueId id : ids)
        list += std::format("{}{}", list.empty() ? "" : ", ", name(graph.values[id].type));
    return list;
}

Checked<void> check_types(const Subject& subject, const OperatorRule& rule) {
    if (rule.types.empty()) return {};
    const Operator& op = subject.op;
    const Target& target = subject.graph.target;
    const auto found = std::ranges::find_if(rule.types, [&](const TypeRule& types) {
        return matches(types, subject.graph, op.inputs, rule.inputs) &&
               matches(types, subject.graph, op.outputs, rule.outputs);
    });
    const bool allowed = found != rule.types.end() && (found->profiles & target.profiles) != 0 &&
                         (found->extension & ~target.extensions) == 0;
    if (allowed) return {};
    return malformed("({}) -> ({}) is no combination of data types {}",
                     type_list(subject.graph, op.inputs), type_list(subject.graph, op.outputs),
                     found == rule.types.end() ? "for this operator" : "of the target's profiles");
}

// The shape of a scalar is constant without any contents.
bool is_constant(const Graph& graph, const Value& value) {
    if (value.producer == kNoId) return false;
    const Op producer = graph.operators[value.producer].op;
    return value.constant() || (producer == Op::ConstShape && value.elements == 0);
}

bool is_zero(const Value& value) {
    const auto number = decode_scalar(value.type, value.data);
    if (number) return *number == 0;
    // FP8: anything but the sign bit counts.
    return std::ranges::all_of(value.data,
                               [](std::byte b) { return (b & std::byte{0x7F}) == std::byte{0}; });
}

Checked<void> check_constants(const Subject& subject, const OperatorRule& rule) {
    for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
        const Role role = rule.inputs[i].role;
        const Value& value = subject.input(i);
        if (role == Role::Tensor) continue;
        if (!is_constant(subject.graph, value)) {
            if ((subject.graph.target.extensions & kExtensionDynamic) != 0)
                return unsupported("input {} {} is known at run time only", i, quoted(value.name));
            return malformed("input {} {} is not a constant", i, quoted(value.name));
        }
        if (role != Role::ZeroPoint) continue;
        if (value.elements != 1)
            return malformed("zero point {} has {} elements", quoted(value.name), value.elements);
        if (value.type != DType::Int8 && !is_zero(value))
            return malformed("zero point {} is not zero", quoted(value.name));
    }
    return {};
}

Checked<void> check_operator(const Subject& subject) {
    const OperatorRule* rule = find_rule(subject.op.op);
    if (rule == nullptr) return unsupported("this operator is not supported");
    return check_operands(subject, subject.op.inputs, rule->inputs, "input")
        .and_then(
            [&] { return check_operands(subject, subject.op.outputs, rule->outputs, "output"); })
        .and_then([&] { return check_types(subject, *rule); })
        .and_then([&] { return check_constants(subject, *rule); })
        .and_then([&] { return rule->check(subject); });
}

}  // namespace

Checked<void> validate(const Graph& graph) {
    const LevelLimits level = level_limits(graph.target.level);
    for (const Value& value : graph.values)
        if (auto checked = check_level(value, level.log2_size); !checked) return checked;
    if (auto checked = check_dataflow(graph); !checked) return checked;
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const Operator& op = graph.operators[i];
        if (const auto checked = check_operator({graph, op, level}); !checked)
            return std::unexpected(at(operator_place(i, op.op), checked.error()));
    }
    return {};
}

}  // namespace tosa
