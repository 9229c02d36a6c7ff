// SPDX-License-Identifier: MIT
//
// Programs of several regions, and blocks of networks.
#include "corpus/recipe.hpp"
#include "networks/layers.hpp"

namespace corpus {
namespace {

using networks::Activation;
using networks::Arithmetic;
using networks::Bound;

constexpr tosa::Target kControlFlow{.profiles = tosa::kProfileFloat,
                                    .extensions = tosa::kExtensionControlFlow};

Tensor floats(std::initializer_list<double> values) {
    return tensor(DType::Fp32, {static_cast<std::int32_t>(values.size())}, values);
}

// y = x op constant
GraphBuilder binary(Op op, double constant) {
    GraphBuilder graph;
    graph.input("x", {3}).output("y", {3}).constant("c", {1}, floats({constant}).data);
    return graph.op(op, {"x", "c"}, {"y"});
}

void add_cond_if(std::vector<Case>& cases) {
    for (const bool condition : {false, true}) {
        Recipe recipe(condition ? "cond-if-then" : "cond-if-else", kControlFlow);
        recipe.input(tensor(DType::Bool, {1}, {condition ? 1.0 : 0.0})).input(floats({1, -2, 3.5}));
        recipe.graph.output("output", {3})
            .cond_if({"input0", "input1"}, {"output"}, "more", "less");
        recipe.graph.add_region("more", binary(Op::Add, 10))
            .add_region("less", binary(Op::Sub, 10));
        cases.push_back(
            recipe.finish({condition ? floats({11, 8, 13.5}) : floats({-9, -12, -6.5})}, kExact));
    }
}

// Halves as long as what is left is greater than one, and counts how often.
void add_while_loop(std::vector<Case>& cases) {
    GraphBuilder test;
    test.input("x", {1}).input("n", {1}).output("go", {1}, DType::Bool);
    test.constant("one", {1}, floats({1}).data).op(Op::Greater, {"x", "one"}, {"go"});
    GraphBuilder body;
    body.input("x", {1}).input("n", {1}).output("half", {1}).output("more", {1});
    body.constant("c", {1}, floats({.5}).data).constant("one", {1}, floats({1}).data);
    body.constant("shift", {1}, tensor(DType::Int8, {1}, {0}).data, DType::Int8);
    body.op(Op::Mul, {"x", "c", "shift"}, {"half"}).op(Op::Add, {"n", "one"}, {"more"});
    const auto add = [&](const char* name, double x, double left, double rounds) {
        Recipe recipe(name, kControlFlow);
        recipe.input(floats({x})).graph.constant("zero", {1}, floats({0}).data);
        recipe.graph.output("left", {1}).output("rounds", {1});
        recipe.graph.while_loop({"input0", "zero"}, {"left", "rounds"}, "test", "body");
        recipe.graph.add_region("test", test).add_region("body", body);
        cases.push_back(recipe.finish({floats({left}), floats({rounds})}, kExact));
    };
    add("while-loop", 20, .625, 5);
    add("while-loop-not-once", .75, .75, 0);
}

// Of MobileNet-v2, and what follows the last.
void add_residual_block(std::vector<Case>& cases, const std::string& name, Arithmetic arithmetic) {
    const bool integer = arithmetic == Arithmetic::Int8;
    const DType type = integer ? DType::Int8 : DType::Fp32;
    const Dims image{1, 5, 5, 4};
    networks::Network network(arithmetic);
    const Activation x = network.input("image", image);
    const Activation wide = network.convolution(x, 12, 1, 1, Bound::Relu6);
    const Activation filtered = network.depthwise(wide, 3, 1, Bound::Relu6);
    const Activation narrow = network.convolution(filtered, 4, 1, 1, Bound::None);
    const Activation sum = network.add(x, narrow);
    const Activation strided = network.convolution(sum, 7, 3, 2, Bound::Relu6);
    network.classifier(network.average(strided), "logits", 3);
    cases.push_back({.name = name,
                     .target = integer ? kInteger : kFloat,
                     .program = network.graph.file(),
                     .inputs = {pattern(type, image, 2)},
                     .outputs = {computed(integer ? DType::Int32 : DType::Fp32, {1, 1, 3})},
                     .tolerance = integer ? kExact : kProducts});
}

}  // namespace

void add_graph_cases(std::vector<Case>& cases) {
    add_cond_if(cases);
    add_while_loop(cases);
    add_residual_block(cases, "residual-block-fp32", Arithmetic::Fp32);
    add_residual_block(cases, "residual-block-int8", Arithmetic::Int8);
}

}  // namespace corpus
