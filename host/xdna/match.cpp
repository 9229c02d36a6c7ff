// SPDX-License-Identifier: MIT
#include "xdna/match.hpp"

#include <algorithm>
#include <array>
#include <format>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "provider/tosa_artifact.hpp"
#include "tosa/conditions.hpp"
#include "tosa/diagnostic.hpp"
#include "tosa/number.hpp"
#include "tosa_generated.h"

namespace xdna {
namespace {

using tosa::DType;
using tosa::Graph;
using tosa::Op;
using tosa::Operator;
using tosa::Value;
using tosa::ValueId;

using Match = std::expected<Spec, std::string>;
using Operators = std::vector<const Operator*>;

template <Op kOp>
bool is(const Operator* op) {
    return op->op == kOp;
}

template <class... Args>
std::unexpected<std::string> refuse(const Operator& op, std::format_string<Args...> format,
                                    Args&&... args) {
    return std::unexpected(std::format("{}: {}", tosa::operator_place(op.source, op.op),
                                       std::format(format, std::forward<Args>(args)...)));
}

Match fit(const Operator& op, const Spec& spec) {
    const std::string why = unfit(spec);
    if (why.empty()) return spec;
    return refuse(op, "{}", why);
}

// No kernel takes as many elements as the greatest number says.
std::uint32_t count(const Value& value) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(value.elements, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t extent(const Value& value, std::size_t axis) {
    return static_cast<std::uint32_t>(value.dims[axis]);
}

std::optional<Fp8> fp8(DType type) {
    if (type == DType::Fp8E4M3) return Fp8::E4M3;
    if (type == DType::Fp8E5M2) return Fp8::E5M2;
    return std::nullopt;
}

std::string miscounted(const Graph& graph, std::size_t inputs) {
    if (graph.inputs.size() == inputs && graph.outputs.size() == 1) return {};
    return std::format("the block has {} inputs and {} outputs, not {} and 1", graph.inputs.size(),
                       graph.outputs.size(), inputs);
}

// A kernel's slots are its operands and its result. Nothing if those of the block are the same:
// no constant, and no input that is read twice or by nobody, for the front end lists none twice.
std::string unwired(const Graph& graph, std::span<const ValueId> operands, ValueId result) {
    if (std::string why = miscounted(graph, operands.size()); !why.empty()) return why;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i] != graph.inputs[i])
            return std::format("{} is read where the block's input {} should be",
                               tosa::quoted(graph.values[operands[i]].name), i);
    if (graph.outputs[0] == result) return {};
    return std::format("the block's output is {} instead of the result",
                       tosa::quoted(graph.values[graph.outputs[0]].name));
}

// The one number of a parameter, which the file has, or there would be a condition. A float
// must be 0.
std::expected<std::int64_t, std::string> parameter(const Graph& graph, const Operator& op,
                                                   std::size_t input) {
    const Value& value = graph.values[op.inputs[input]];
    if (!tosa::is_float(value.type)) return tosa::read_integer(value.type, value.data.data(), 0);
    if (tosa::read_float(value.type, value.data.data(), 0) == 0) return 0;
    return refuse(op, "input {}, {}, is not zero", input, tosa::quoted(value.name));
}

// All that IDENTITY can make of one input is the input, and there may be no IDENTITY at all.
Match match_identity(const Graph& graph) {
    if (std::string why = miscounted(graph, 1); !why.empty())
        return std::unexpected(std::move(why));
    const Value& in = graph.values[graph.inputs[0]];
    if (in.type != DType::Bf16 && in.type != DType::Int8)
        return std::unexpected(std::format("IDENTITY of {} is not supported", tosa::name(in.type)));
    const Spec spec =
        in.type == DType::Bf16 ? Spec(Bf16Identity{count(in)}) : Spec(Int8Identity{count(in)});
    const std::string why = unfit(spec);
    if (why.empty()) return spec;
    return std::unexpected(std::format("IDENTITY of {}: {}", tosa::quoted(in.name), why));
}

Match match_cast(const Graph& graph, const Operator& op) {
    const Value& in = graph.values[op.inputs[0]];
    const Value& out = graph.values[op.outputs[0]];
    const auto format = fp8(in.type);
    if (!format || out.type != DType::Bf16)
        return refuse(op, "{} to {} is not supported", tosa::name(in.type), tosa::name(out.type));
    if (const auto why = unwired(graph, op.inputs, op.outputs[0]); !why.empty())
        return refuse(op, "{}", why);
    return fit(op, Fp8ToBf16{*format, count(in)});
}

struct Product {
    DType a, b, out;
    Shape shape;
    std::int8_t a_zero, b_zero;
};

// A MATMUL, by a kernel that reads `operands`.
std::expected<Product, std::string> product(const Graph& graph, const Operator& op,
                                            std::array<ValueId, 2> operands) {
    if (const auto why = unwired(graph, operands, op.outputs[0]); !why.empty())
        return refuse(op, "{}", why);
    const auto a_zero = parameter(graph, op, 2), b_zero = parameter(graph, op, 3);
    if (!a_zero) return std::unexpected(a_zero.error());
    if (!b_zero) return std::unexpected(b_zero.error());
    const Value &a = graph.values[operands[0]], &b = graph.values[operands[1]];
    if (a.dims[0] != 1) return refuse(op, "a batch of {} is not supported", a.dims[0]);
    return Product{.a = a.type,
                   .b = b.type,
                   .out = graph.values[op.outputs[0]].type,
                   .shape = {.m = extent(a, 1), .k = extent(a, 2), .n = extent(b, 2)},
                   .a_zero = static_cast<std::int8_t>(*a_zero),
                   .b_zero = static_cast<std::int8_t>(*b_zero)};
}

auto refuse_types(const Operator& op, const Product& p) {
    return refuse(op, "{} by {} to {} is not supported", tosa::name(p.a), tosa::name(p.b),
                  tosa::name(p.out));
}

Match match_matmul(const Graph& graph, const Operator& op) {
    const auto p = product(graph, op, {op.inputs[0], op.inputs[1]});
    if (!p) return std::unexpected(p.error());
    if (p->a == DType::Bf16 && p->b == DType::Bf16 && p->out == DType::Fp32)
        return fit(op, Bf16Matmul{p->shape});
    if (p->a == DType::Int8 && p->b == DType::Int8 && p->out == DType::Int32)
        return fit(op, Int8Matmul{p->shape, p->a_zero, p->b_zero});
    return refuse_types(op, *p);
}

// The kernel reads what is cast: two inputs of the block, so that both operators before are
// those CASTs.
Match match_cast_matmul(const Graph& graph, const Operator& op) {
    std::array<ValueId, 2> operands{};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Value& value = graph.values[op.inputs[i]];
        if (value.type != DType::Bf16 || value.producer == tosa::kNoId ||
            graph.operators[value.producer].op != Op::Cast)
            return refuse(op, "{} is no CAST to BF16", tosa::quoted(value.name));
        operands[i] = graph.operators[value.producer].inputs[0];
    }
    const auto p = product(graph, op, operands);
    if (!p) return std::unexpected(p.error());
    const auto a = fp8(p->a), b = fp8(p->b);
    if (!a || !b || p->out != DType::Fp32) return refuse_types(op, *p);
    return fit(op, Fp8Matmul{*a, *b, p->shape});
}

Match match_rescale(const Graph& graph, const Operator& op) {
    const Value& in = graph.values[op.inputs[0]];
    const Value& out = graph.values[op.outputs[0]];
    if (in.type != DType::Int32 || out.type != DType::Int8)
        return refuse(op, "{} to {} is not supported", tosa::name(in.type), tosa::name(out.type));
    if (const auto why = unwired(graph, op.inputs.first(1), op.outputs[0]); !why.empty())
        return refuse(op, "{}", why);

    const auto* attribute = op.serialized->attribute_as_RescaleAttribute();
    if (!attribute->scale32()) return refuse(op, "a scale of 16 bits is not supported");
    if (attribute->rounding_mode() != tosa::fbs::RoundingMode::SINGLE_ROUND)
        return refuse(op, "only SINGLE_ROUND is supported");
    if (attribute->per_channel()) return refuse(op, "a scale for each channel is not supported");
    if (attribute->input_unsigned() || attribute->output_unsigned())
        return refuse(op, "unsigned numbers are not supported");

    std::array<std::int64_t, 4> numbers{};  // multiplier, shift, two zero points
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = parameter(graph, op, i + 1);
        if (!number) return std::unexpected(number.error());
        numbers[i] = *number;
    }
    if (numbers[2] != 0) return refuse(op, "the input's zero point {} is not zero", numbers[2]);
    return fit(op, Int32ToInt8Rescale{.elements = count(in),
                                      .multiplier = static_cast<std::int32_t>(numbers[0]),
                                      .shift = static_cast<std::uint32_t>(numbers[1]),
                                      .output_zero = static_cast<std::int8_t>(numbers[3])});
}

Match match_max_pool(const Graph& graph, const Operator& op) {
    const Value& in = graph.values[op.inputs[0]];
    if (in.type != DType::Bf16) return refuse(op, "{} is not supported", tosa::name(in.type));
    if (const auto why = unwired(graph, op.inputs, op.outputs[0]); !why.empty())
        return refuse(op, "{}", why);
    if (in.dims[0] != 1) return refuse(op, "a batch of {} is not supported", in.dims[0]);

    const auto* attribute = op.serialized->attribute_as_MaxPool2dAttribute();
    if (attribute->nan_mode() != tosa::fbs::NanPropagationMode::PROPAGATE)
        return refuse(op, "only the NaN mode PROPAGATE is supported");
    if (std::ranges::any_of(*attribute->pad(), [](std::int32_t side) { return side != 0; }))
        return refuse(op, "padding is not supported");
    const auto pair = [](const auto* list) {
        return std::pair(static_cast<std::uint32_t>(list->Get(0)),
                         static_cast<std::uint32_t>(list->Get(1)));
    };
    const auto [kernel_y, kernel_x] = pair(attribute->kernel());
    const auto [stride_y, stride_x] = pair(attribute->stride());
    return fit(op, Bf16MaxPool2d{.in_height = extent(in, 1),
                                 .in_width = extent(in, 2),
                                 .channels = extent(in, 3),
                                 .kernel_y = kernel_y,
                                 .kernel_x = kernel_x,
                                 .stride_y = stride_y,
                                 .stride_x = stride_x});
}

struct Template {
    std::size_t before;  // operators
    Op op;
    Match (*match)(const Graph& graph, const Operator& op);
};

constexpr Template kTemplates[] = {
    {0, Op::Cast, match_cast},          {0, Op::MatMul, match_matmul},
    {2, Op::MatMul, match_cast_matmul}, {0, Op::Rescale, match_rescale},
    {0, Op::MaxPool2d, match_max_pool},
};

// Operators in execution order, without CONST; at least one that is not IDENTITY.
Match match_operators(const Graph& graph, const Operators& operators) {
    const Operator& last = *operators.back();
    const auto before = std::span(operators).first(operators.size() - 1);
    for (const Template& each : kTemplates)
        if (before.size() == each.before && last.op == each.op) return each.match(graph, last);
    for (const Operator* op : operators)
        if (op->op != Op::Identity && !std::ranges::contains(kTemplates, op->op, &Template::op))
            return refuse(*op, "the operator is not supported");
    // Alone, any of the others would be a template.
    return refuse(last, "it is not supported after {}",
                  tosa::operator_place(before.back()->source, before.back()->op));
}

}  // namespace

Match match(const Graph& graph) {
    if (std::string why = provider::beyond_one_block(graph); !why.empty())
        return std::unexpected(std::move(why));
    if (const auto value = std::ranges::find(graph.values, true, &Value::variable);
        value != graph.values.end())
        return std::unexpected(
            std::format("variable {} is not supported", tosa::quoted(value->name)));
    if (const auto conditions = tosa::conditions_of(graph); !conditions.empty())
        return refuse(graph.operators[conditions[0].op],
                      "its operands must satisfy a condition at run time");
    Operators operators;
    for (const Operator& op : graph.operators)
        if (op.op != Op::Const) operators.push_back(&op);
    const bool identity = std::ranges::all_of(operators, is<Op::Identity>);
    for (const Operator& op : graph.operators)
        if (op.op == Op::Const && (identity || graph.values[op.outputs[0]].consumers == 0))
            return refuse(op, "no template has this constant");
    return identity ? match_identity(graph) : match_operators(graph, operators);
}

}  // namespace xdna
