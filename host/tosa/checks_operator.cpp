// SPDX-License-Identifier: MIT
//
// Holds an operator against its row of rules, in the order of providers.md 1.8.
#include <algorithm>

#include "tosa/checks.hpp"
#include "tosa/number.hpp"

namespace tosa {
namespace {

// The inputs or the outputs of an operator, and what its row says of them.
struct Side {
    const Subject& subject;
    std::span<const ValueId> ids;
    const OperandRules& rules;
    std::string_view name;

    [[nodiscard]] const Value& value(std::size_t i) const { return subject.graph.values[ids[i]]; }
    [[nodiscard]] const OperandRule& rule(std::size_t i) const {
        return i < rules.single.size() ? rules.single[i] : *rules.list;
    }
};

struct Sides {
    Side inputs;
    Side outputs;
};

// Applies a check to every operand, inputs first, and says which one an error is about.
Checked<void> check_each(const Sides& sides,
                         Checked<void> (*check)(const Side& side, std::size_t i)) {
    for (const Side* side : {&sides.inputs, &sides.outputs})
        for (std::size_t i = 0; i < side->ids.size(); ++i)
            if (auto checked = check(*side, i); !checked)
                return std::unexpected(
                    at(std::format("{} {}", side->name, i), std::move(checked.error())));
    return {};
}

Checked<void> check_arity(const Side& side) {
    const std::size_t single = side.rules.single.size();
    const std::size_t count = side.ids.size();
    if (side.rules.list == nullptr && count != single)
        return bad_arity("it has {} {}s, where {} are wanted", count, side.name, single);
    const std::size_t least = single + side.rules.min_list;
    if (count < least)
        return bad_arity("it has {} {}s, where {} or more are wanted", count, side.name, least);
    return {};
}

Checked<void> check_list(const Side& side) {
    const std::size_t length = side.ids.size() - side.rules.single.size();
    const std::uint32_t limit = side.subject.level.tensor_list;
    if (length <= limit) return {};
    return bad_list("its list of {} {}s is longer than {}", length, side.name, limit);
}

Checked<void> check_counts(const Sides& sides) {
    const auto& [inputs, outputs] = sides;
    if (auto arity = check_arity(inputs); !arity) return arity;
    if (auto arity = check_arity(outputs); !arity) return arity;
    if (inputs.subject.op.op == Op::WhileLoop && inputs.ids.size() != outputs.ids.size())
        return bad_arity("it has {} inputs, but {} outputs", inputs.ids.size(), outputs.ids.size());
    if (auto list = check_list(inputs); !list) return list;
    return check_list(outputs);
}

Checked<void> check_kind(const Side& side, std::size_t i) {
    const Value& value = side.value(i);
    const bool is_shape = value.type == DType::Shape;
    if (is_shape == (side.rule(i).role == Role::Shape)) return {};
    if (is_shape)
        return expected_tensor("{} is a shape, where a tensor is wanted", quoted(value.name));
    return expected_shape("{} is a tensor, where a shape is wanted", quoted(value.name));
}

Checked<void> check_rank(const Side& side, std::size_t i) {
    const Value& value = side.value(i);
    const OperandRule& rule = side.rule(i);
    if (rule.role == Role::Shape) {
        if (value.elements >= rule.min_rank && value.elements <= rule.max_rank) return {};
        return bad_rank("{} has {} values, not {}", quoted(value.name), value.elements,
                        rule.min_rank);
    }
    std::size_t low = rule.min_rank;
    std::size_t high = std::min<std::size_t>(rule.max_rank, side.subject.level.rank);
    if (rule.rank_of != RankOf::Any) {
        const Value& first = side.subject.input(0);
        // The first input has passed, where this is another operand.
        if (&value != &first)
            low = high = first.rank() - (rule.rank_of == RankOf::FirstInputLessOne ? 1 : 0);
    }
    if (value.rank() >= low && value.rank() <= high) return {};
    return bad_rank("{} has rank {}, outside {} to {}", quoted(value.name), value.rank(), low,
                    high);
}

DType wanted_type(const TypeRule& types, Column column, DType actual) {
    switch (column) {
        case Column::Value:
            return types.value;
        case Column::Result:
            return types.result;
        case Column::Weight:
            return types.weight;
        case Column::Int8:
            return DType::Int8;
        case Column::Int32:
            return DType::Int32;
        case Column::Bool:
            return DType::Bool;
        case Column::Any:
            break;
    }
    return actual;
}

bool matches(const TypeRule& types, const Side& side) {
    for (std::size_t i = 0; i < side.ids.size(); ++i) {
        const DType type = side.value(i).type;
        const OperandRule& rule = side.rule(i);
        if (rule.role != Role::Shape && type != wanted_type(types, rule.column, type)) return false;
    }
    return true;
}

bool has(const Target& target, const TypeRule& types) {
    return (types.profiles & target.profiles) != 0 && (types.extension & ~target.extensions) == 0;
}

std::string type_list(const Side& side) {
    std::string list;
    for (std::size_t i = 0; i < side.ids.size(); ++i)
        list += std::format("{}{}", i == 0 ? "" : ", ", name(side.value(i).type));
    return list;
}

Checked<void> check_combination(const Sides& sides, std::span<const TypeRule> rules) {
    const Subject& subject = sides.inputs.subject;
    const DType accumulator = accumulator_of(subject.op);
    const auto found = std::ranges::find_if(rules, [&](const TypeRule& types) {
        return types.accumulator == accumulator && matches(types, sides.inputs) &&
               matches(types, sides.outputs);
    });
    if (found != rules.end() && has(subject.graph.target, *found)) return {};
    const bool accumulates = rules.front().accumulator != DType::Unknown;
    return bad_types("({}) -> ({}){}{} is no combination of data types {}", type_list(sides.inputs),
                     type_list(sides.outputs), accumulates ? " by way of " : "",
                     accumulates ? name(accumulator) : "",
                     found == rules.end() ? "for this operator" : "of the target's profiles");
}

// Of operators whose operands may have any types, each on its own.
Checked<void> check_single_type(const Side& side, std::size_t i) {
    const DType type = side.value(i).type;
    const OperatorRule& row = find_rule(side.subject.op.op);
    const Column column = side.rule(i).column;
    if (type != wanted_type({type, type}, column, type))
        return bad_types("{} is {}, which it cannot be", quoted(side.value(i).name), name(type));
    const auto found = std::ranges::find(row.types, type, &TypeRule::value);
    if (found != row.types.end() && has(side.subject.graph.target, *found)) return {};
    return bad_types("{} is {}, which is not of the target's profiles", quoted(side.value(i).name),
                     name(type));
}

Checked<void> check_types(const Sides& sides, const OperatorRule& row) {
    const std::uint64_t extensions = sides.inputs.subject.graph.target.extensions;
    if ((row.extension & ~extensions) != 0)
        return bad_types("the target lacks the operator's extension");
    if (row.types.empty()) return {};
    if (row.each_type) return check_each(sides, check_single_type);
    return check_combination(sides, row.types);
}

// The shape of a scalar is constant without any contents.
bool is_constant(const Graph& graph, const Value& value) {
    if (value.producer == kNoId) return false;
    const Op producer = graph.operators[value.producer].op;
    return value.constant() || (producer == Op::ConstShape && value.elements == 0);
}

// Of one element as a constant stores it: but for the sign of floating-point numbers and
// the other half of an INT4's byte, every bit counts.
bool is_zero(const Value& value) {
    std::byte last = value.data.back();
    if (is_float(value.type)) last &= std::byte{0x7F};
    if (value.type == DType::Int4) last &= std::byte{0x0F};
    return last == std::byte{0} &&
           std::ranges::all_of(value.data.first(value.data.size() - 1),
                               [](std::byte b) { return b == std::byte{0}; });
}

// RESCALE may read an INT16 as unsigned, and so its zero point.
bool is_unsigned(const Subject& subject, std::size_t input) {
    if (subject.op.op != Op::Rescale) return false;
    const auto& attribute = subject.attribute<fbs::RescaleAttribute>();
    return input == 3 ? attribute.input_unsigned() : attribute.output_unsigned();
}

Checked<void> check_zero_point(const Subject& subject, std::size_t input) {
    const Value& value = subject.input(input);
    if (value.elements != 1)
        return bad_constant("zero point {} has {} elements", quoted(value.name), value.elements);
    if (!is_constant(subject.graph, value)) return {};  // the target has DYNAMIC
    if (value.type == DType::Int8 || is_zero(value)) return {};
    if (value.type == DType::Int16 && is_unsigned(subject, input)) {
        if (read_integer(DType::Int16, value.data.data(), 0) == -32768) return {};
        return bad_constant("zero point {} is neither 0 nor 32768", quoted(value.name));
    }
    return bad_constant("zero point {} is not zero", quoted(value.name));
}

Checked<void> check_constants(const Subject& subject, const OperandRules& rules) {
    const bool dynamic = (subject.graph.target.extensions & kExtensionDynamic) != 0;
    for (std::size_t i = 0; i < rules.single.size(); ++i) {
        const Role role = rules.single[i].role;
        if (role == Role::Tensor) continue;
        const Value& value = subject.input(i);
        if (!dynamic && !is_constant(subject.graph, value))
            return not_constant("input {} {} is not a constant", i, quoted(value.name));
        if (role != Role::ZeroPoint) continue;
        if (auto zero = check_zero_point(subject, i); !zero) return zero;
    }
    return {};
}

Checked<void> apply(Check check, const Subject& subject) {
    return check == nullptr ? Checked<void>{} : check(subject);
}

}  // namespace

bool known(const Subject& subject, std::size_t input) {
    return is_constant(subject.graph, subject.input(input));
}

Checked<void> check_operator(const Subject& subject) {
    const OperatorRule& row = find_rule(subject.op.op);
    const Sides sides{{subject, subject.op.inputs, row.inputs, "input"},
                      {subject, subject.op.outputs, row.outputs, "output"}};
    return check_counts(sides)
        .and_then([&] { return check_each(sides, check_kind); })
        .and_then([&] { return check_each(sides, check_rank); })
        .and_then([&] { return check_types(sides, row); })
        .and_then([&] { return apply(row.attributes, subject); })
        .and_then([&] { return check_constants(subject, row.inputs); })
        .and_then([&] { return apply(row.constants, subject); })
        .and_then([&] { return apply(row.shapes, subject); });
}

}  // namespace tosa
