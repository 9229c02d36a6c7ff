// SPDX-License-Identifier: MIT
#include "tosa/single_operator.hpp"

#include "tosa/build_test.hpp"
#include "tosa/encoding.hpp"

namespace tosa::test {
namespace {

using enum Op;
using enum DType;

std::vector<std::byte> zeros(const Dims& dims, DType type) {
    return std::vector<std::byte>(constant_bytes(type, element_count(dims)));
}

void add(GraphBuilder& graph, const std::string& name, const Operand& operand) {
    switch (operand.from) {
        case Operand::From::Block:
            graph.input(name, operand.dims, operand.type);
            return;
        case Operand::From::Constant:
            graph.constant(name, operand.dims,
                           operand.data.empty() ? zeros(operand.dims, operand.type) : operand.data,
                           operand.type);
            return;
        case Operand::From::Shape:
            graph.op(Op::ConstShape, {}, {name});
            const auto view = std::as_bytes(std::span(operand.values));
            graph.shapes.push_back({.name = name,
                                    .rank = static_cast<std::uint32_t>(operand.values.size()),
                                    .data = {view.begin(), view.end()}});
    }
}

SingleOperator window(Op op, const Types& types) {
    const Operand zero = constant({1}, types.value);
    const Fields fields{
        .kernel = Dims{2, 2}, .stride = Dims{2, 2}, .pad = Dims{0, 0, 0, 0}, .acc_type = types.acc};
    SingleOperator single{
        op, {{{1, 4, 4, 3}, types.value}}, {{{1, 2, 2, 3}, types.result}}, fields};
    if (op == AvgPool2d) single.in.insert(single.in.end(), {zero, zero});
    return single;
}

SingleOperator convolution(Op op, const Types& types) {
    Fields fields{.stride = Dims{1, 1},
                  .pad = Dims{0, 0, 0, 0},
                  .dilation = Dims{1, 1},
                  .acc_type = types.acc};
    const auto make = [&](Dims in, Dims weight, std::int32_t channels, Dims out) {
        return SingleOperator{op,
                              {{std::move(in), types.value},
                               {std::move(weight), types.weight},
                               {{channels}, types.result},
                               constant({1}, types.value),
                               constant({1}, types.weight)},
                              {{std::move(out), types.result}},
                              fields};
    };
    if (op == Conv2d) return make({1, 4, 5, 2}, {3, 2, 3, 2}, 3, {1, 3, 3, 3});
    if (op == DepthwiseConv2d) return make({1, 4, 5, 2}, {2, 3, 2, 3}, 6, {1, 3, 3, 6});
    if (op == TransposeConv2d) {
        fields.out_pad = Dims{0, 0, 0, 0};
        return make({1, 4, 5, 2}, {3, 2, 3, 2}, 3, {1, 5, 7, 3});
    }
    fields.stride = fields.dilation = Dims{1, 1, 1};
    fields.pad = Dims(6, 0);
    return make({1, 3, 4, 5, 2}, {3, 2, 2, 3, 2}, 3, {1, 2, 3, 3, 3});
}

SingleOperator reduction(Op op, const Types& types) {
    return {op,
            {{{2, 3}, types.value}},
            {{op == Argmax ? Dims{2} : Dims{2, 1}, types.result}},
            {.axis = 1}};
}

SingleOperator layout(Op op, const Types& types) {
    const Operand in{{2, 3}, types.value};
    switch (op) {
        case Concat:
            return {op, {in, in}, {{{2, 6}, types.result}}, {.axis = 1}};
        case Pad:
            return {op,
                    {in, shape({0, 1, 2, 0}), constant({1}, types.value)},
                    {{{3, 5}, types.result}}};
        case Reshape:
            return {op, {in, shape({3, 2})}, {{{3, 2}, types.result}}};
        case Reverse:
            return {op, {in}, {{{2, 3}, types.result}}, {.axis = 1}};
        case Slice:
            return {op, {in, shape({1, 0}), shape({1, 2})}, {{{1, 2}, types.result}}};
        case Tile:
            return {op, {in, shape({1, 2})}, {{{2, 6}, types.result}}};
        case Transpose:
            return {op, {in}, {{{3, 2}, types.result}}, {.perms = Dims{1, 0}}};
        case Gather:
            return {op, {{{2, 5, 3}, types.value}, {{2, 4}, Int32}}, {{{2, 4, 3}, types.result}}};
        default:
            return {op,
                    {{{2, 5, 3}, types.value}, {{2, 4}, Int32}, {{2, 4, 3}, types.value}},
                    {{{2, 5, 3}, types.result}}};
    }
}

SingleOperator rescale(const Types& types) {
    const bool wide = types.value == Int48;
    return {Rescale,
            {{{2, 3}, types.value},
             wide ? constant({1}, Int16) : constant({1}, Int32),
             constant({1}, Int8, bytes_of<char>({2})),
             constant({1}, types.value),
             constant({1}, types.result)},
            {{{2, 3}, types.result}},
            {.scale32 = !wide}};
}

SingleOperator elementwise(Op op, const Types& types) {
    const Operand in{{2, 3}, types.value};
    SingleOperator single{op, {in}, {{{2, 3}, types.result}}};
    const auto number = static_cast<std::uint32_t>(op);
    const bool binary =
        number >= static_cast<std::uint32_t>(Add) && number <= static_cast<std::uint32_t>(Sub);
    if (binary || op == Equal || op == Greater || op == GreaterEqual) single.in.push_back(in);
    if (op == Mul) single.in.push_back(constant({1}, Int8));
    if (op == Table) single.in.push_back(constant({types.value == Int8 ? 256 : 513}, types.weight));
    if (op == Negate) single.in.insert(single.in.end(), 2, constant({1}, types.value));
    if (op == Select) single.in = {{{2, 1}, Bool}, in, in};
    if (op == Clamp) single.fields.min_val = single.fields.max_val = zeros({1}, types.value);
    return single;
}

}  // namespace

Operand constant(Dims dims, DType type, std::vector<std::byte> data) {
    return {std::move(dims), type, Operand::From::Constant, std::move(data)};
}

Operand shape(std::vector<std::int64_t> values) {
    return {.from = Operand::From::Shape, .values = std::move(values)};
}

GraphBuilder SingleOperator::graph() const {
    GraphBuilder graph;
    Names inputs;
    Names outputs;
    for (const Operand& operand : in) {
        inputs.push_back(inputs.size() < 26 ? std::string(1, static_cast<char>('a' + inputs.size()))
                                            : std::format("a{}", inputs.size()));
        add(graph, inputs.back(), operand);
    }
    for (const Operand& operand : out) {
        outputs.push_back(std::format("out{}", outputs.size()));
        if (operand.from == Operand::From::Shape) {
            graph.shapes.push_back({.name = outputs.back()});
            continue;
        }
        graph.output(outputs.back(), operand.dims, operand.type);
        if (op == Op::Const) graph.tensors.back().data = zeros(operand.dims, operand.type);
    }
    return graph.op(op, std::move(inputs), std::move(outputs), attribute(op, fields));
}

std::string SingleOperator::place() const {
    const auto constants = std::ranges::count_if(
        in, [](const Operand& operand) { return operand.from != Operand::From::Block; });
    return std::format("operator {} ({}): ", constants, name(op));
}

SingleOperator valid(Op op, const Types& types) {
    switch (op) {
        case AvgPool2d:
        case MaxPool2d:
            return window(op, types);
        case Conv2d:
        case Conv3d:
        case DepthwiseConv2d:
        case TransposeConv2d:
            return convolution(op, types);
        case Fft2d:
            return {op,
                    {{{1, 4, 8}, types.value}, {{1, 4, 8}, types.value}},
                    {{{1, 4, 8}, types.result}, {{1, 4, 8}, types.result}}};
        case Rfft2d:
            return {op,
                    {{{1, 4, 8}, types.value}},
                    {{{1, 4, 5}, types.result}, {{1, 4, 5}, types.result}}};
        case MatMul:
            return {op,
                    {{{2, 3, 4}, types.value},
                     {{2, 4, 5}, types.value},
                     constant({1}, types.value),
                     constant({1}, types.value)},
                    {{{2, 3, 5}, types.result}}};
        case Argmax:
        case ReduceAll:
        case ReduceAny:
        case ReduceMax:
        case ReduceMin:
        case ReduceProduct:
        case ReduceSum:
            return reduction(op, types);
        case Concat:
        case Pad:
        case Reshape:
        case Reverse:
        case Slice:
        case Tile:
        case Transpose:
        case Gather:
        case Scatter:
            return layout(op, types);
        case Resize:
            return {
                op,
                {{{1, 2, 2, 3}, types.value}, shape({4, 2, 4, 2}), shape({-1, -1}), shape({1, 1})},
                {{{1, 4, 4, 3}, types.result}},
                {.mode = types.value == types.result ? 1U : 2U}};
        case Rescale:
            return rescale(types);
        case Const:
            return {op, {}, {{{2, 3}, types.result}}};
        case ConstShape:
            return {op, {}, {shape({})}};
        case Custom:
            return {op,
                    {{{2, 3}, types.value}},
                    {{{2}, types.result}},
                    {.operator_name = "op", .domain_name = "domain"}};
        default:
            return elementwise(op, types);
    }
}

bool accepted(const SingleOperator& single) {
    return accepted(single, kEverything);
}

bool accepted(const SingleOperator& single, const Target& target) {
    return build_graph(single.graph().file(), target).has_value();
}

void check_refused(const SingleOperator& single, const std::string& message) {
    check_refused(single, message, kEverything);
}

void check_refused(const SingleOperator& single, const std::string& message, const Target& target) {
    check_refused(single.graph(), GraphError::Kind::Malformed, single.place() + message, target);
}

}  // namespace tosa::test
