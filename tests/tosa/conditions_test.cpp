// SPDX-License-Identifier: MIT
#include "tosa/conditions.hpp"

#include <string>

#include "tosa/analysed.hpp"

using namespace tosa;
using namespace tosa::test;

namespace {

using Conditions = std::vector<OperatorCondition>;

struct Row {
    const char* name;
    DType type;
    Op op;
    std::vector<Dims> inputs;
    std::vector<Condition> conditions;
};

// An operator on block inputs of one type: validation would refuse some of these.
Analysed single(const Row& row) {
    GraphBuilder graph;
    Names names;
    for (const Dims& dims : row.inputs) {
        names.push_back(std::string("in") + std::to_string(names.size()));
        graph.input(names.back(), dims, row.type);
    }
    graph.output("out", {2, 3, 4}, row.type).op(row.op, names, {"out"});
    return analysed(graph, kDynamic);
}

Conditions conditions(const Analysed& analysed) {
    return conditions_of(analysed.graph);
}

DynamicInput required(std::uint32_t input) {
    return {.input = input, .value = input, .required_error_check = true};
}

DynamicInput advisory(std::uint32_t input) {
    return {.input = input, .value = input, .required_error_check = false};
}

}  // namespace

TEST_CASE("each operator has its runtime conditions") {
    const Dims any{2, 3, 4};
    const Dims image{1, 2, 2, 3};
    const Dims one{1};
    const Row rows[] = {
        {"shift 32", DType::Int32, Op::ArithmeticRightShift, {any, any}, {ShiftInRange{31}}},
        {"shift 16", DType::Int16, Op::LogicalLeftShift, {any, any}, {ShiftInRange{15}}},
        {"shift 8", DType::Int8, Op::LogicalRightShift, {any, any}, {ShiftInRange{7}}},
        {"division", DType::Int32, Op::IntDiv, {any, any}, {NonZero{}}},
        {"product", DType::Int32, Op::Mul, {any, any, one}, {advisory(2), Int32MultiplyInRange{}}},
        {"small product", DType::Int16, Op::Mul, {any, any, one}, {advisory(2)}},
        {"power", DType::Fp32, Op::Pow, {any, any}, {PowDomain{}}},
        {"gather", DType::Int32, Op::Gather, {{2, 7, 4}, {2, 3}}, {IndicesInRange{7}}},
        {"scatter",
         DType::Int32,
         Op::Scatter,
         {{2, 9, 4}, {2, 3}, {2, 3, 4}},
         {IndicesInRange{9}, ScatterIndicesUnique{}}},
        {"read", DType::Int8, Op::VariableRead, {}, {VariableState{}}},
        {"write", DType::Int8, Op::VariableWrite, {any}, {VariableState{}}},
        {"variable", DType::Int8, Op::Variable, {}, {}},
        {"sum", DType::Int32, Op::Add, {any, any}, {}},
        {"average", DType::Int8, Op::AvgPool2d, {image, one, one}, {required(1), required(2)}},
        {"conv",
         DType::Int8,
         Op::Conv2d,
         {image, image, one, one, one},
         {required(3), required(4)}},
        {"conv 3d",
         DType::Int8,
         Op::Conv3d,
         {image, image, one, one, one},
         {required(3), required(4)}},
        {"depthwise",
         DType::Int8,
         Op::DepthwiseConv2d,
         {image, image, one, one, one},
         {required(3), required(4)}},
        {"transposed",
         DType::Int8,
         Op::TransposeConv2d,
         {image, image, one, one, one},
         {required(3), required(4)}},
        {"matmul", DType::Int8, Op::MatMul, {any, any, one, one}, {required(2), required(3)}},
        {"negate", DType::Int8, Op::Negate, {any, one, one}, {required(1), required(2)}},
        {"table", DType::Int8, Op::Table, {any, {256}}, {advisory(1)}},
        {"pad", DType::Int8, Op::Pad, {any, {6}, one}, {required(1), required(2)}},
        {"reshape", DType::Int8, Op::Reshape, {any, {3}}, {required(1)}},
        {"slice", DType::Int8, Op::Slice, {any, {3}, {3}}, {required(1), required(2)}},
        {"tile", DType::Int8, Op::Tile, {any, {3}}, {required(1)}},
        {"resize",
         DType::Int8,
         Op::Resize,
         {image, {4}, {2}, {2}},
         {required(1), required(2), required(3)}},
        {"rescale",
         DType::Int8,
         Op::Rescale,
         {any, one, one, one, one},
         {advisory(1), advisory(2), required(3), required(4)}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        Conditions expected;
        for (const Condition& condition : row.conditions)
            expected.push_back({0, condition});
        CHECK(conditions(single(row)) == expected);
    }
}

TEST_CASE("a serialized constant leaves nothing to the run") {
    GraphBuilder graph;
    graph.input("in", {2, 3}).output("out", {6});
    graph.shape("to", {6}).op(Op::Reshape, {"in", "to"}, {"out"});
    CHECK(conditions(analysed(graph, kDynamic)).empty());

    graph = {};
    graph.input("a", {1, 2, 3}).input("b", {1, 3, 2}).output("out", {1, 2, 2});
    graph.matmul("a", "b", "out");
    CHECK(conditions(analysed(graph, kDynamic)).empty());

    // A shape of rank 0 has no contents and is constant.
    graph = {};
    graph.input("in", {1}).output("out", {});
    graph.shape("to", {}).op(Op::Reshape, {"in", "to"}, {"out"});
    CHECK(conditions(analysed(graph, kDynamic)).empty());
}

TEST_CASE("what another operator computes is no constant, whatever its tensor carries") {
    GraphBuilder graph;
    graph.input("in", {2}, DType::Int8).input("zero", {1}, DType::Int8);
    graph.tensor("zp", {1}, DType::Int8).output("out", {2}, DType::Int8);
    graph.find("zp").data = bytes_of<std::int8_t>({0});
    graph.op(Op::Identity, {"zero"}, {"zp"}).op(Op::Negate, {"in", "zp", "zp"}, {"out"});
    CHECK(conditions(analysed(graph, kDynamic)).size() == 2);
}

TEST_CASE("conditions come in execution order, those of dead operators with them") {
    GraphBuilder graph;
    graph.input("in", {2}).tensor("between", {2}).tensor("dead", {2}).output("out", {2});
    graph.op(Op::Pow, {"between", "in"}, {"out"});
    graph.op(Op::Identity, {"in"}, {"between"});
    graph.op(Op::Pow, {"in", "in"}, {"dead"});
    // Kahn's order: IDENTITY and the dead POW, which wait for nothing, then the other POW.
    CHECK(conditions(analysed(graph, kFloatTarget)) ==
          Conditions{{1, PowDomain{}}, {2, PowDomain{}}});
}

TEST_CASE("a custom operator is named") {
    GraphBuilder graph;
    graph.input("in", {2}).output("out", {2});
    graph.op(Op::Custom, {"in"}, {"out"}, [](flatbuffers::FlatBufferBuilder& builder) {
        const auto name = builder.CreateString("FROB");
        const auto domain = builder.CreateString("org.example");
        return fbs::CreateCustomAttribute(builder, name, domain).Union();
    });
    CHECK(conditions(analysed(graph, kFloatTarget)) ==
          Conditions{{0, Custom{.domain = "org.example", .name = "FROB"}}});
}

TEST_CASE("conditions differ in what they bind") {
    CHECK(nature(required(1)) == Nature::Required);
    CHECK(nature(VariableState{}) == Nature::State);
    CHECK(nature(Custom{}) == Nature::Provider);
    for (const Condition& condition : std::initializer_list<Condition>{
             advisory(1), ShiftInRange{31}, NonZero{}, Int32MultiplyInRange{}, PowDomain{},
             IndicesInRange{3}, ScatterIndicesUnique{}})
        CHECK(nature(condition) == Nature::Advisory);
}
