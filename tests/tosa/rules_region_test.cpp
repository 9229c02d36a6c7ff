// SPDX-License-Identifier: MIT
//
// Operators that need more around them than a graph of one operator: control flow and
// variables. Their rules are applied directly.
#include "tosa/build_test.hpp"
#include "tosa/rules.hpp"
#include "tosa/single_operator.hpp"

namespace tosa::test {
namespace {

constexpr Target kTarget{.profiles = kProfileInteger | kProfileFloat,
                         .extensions = kExtensionControlFlow | kExtensionVariable};

constexpr std::int32_t kOnes[] = {1, 1, 1, 1, 1, 1, 1};

Value tensor(DType type, std::size_t rank = 1, std::uint64_t elements = 1) {
    return {.name = "v", .type = type, .dims = std::span(kOnes).first(rank), .elements = elements};
}

struct Case {
    Op op;
    std::vector<Value> in{};
    std::vector<Value> out{};
    Fields fields{.then_graph = "t", .else_graph = "e", .cond_graph = "c", .body_graph = "b"};
};

// The error's message, or nothing.
std::string verdict(const Case& c, const Target& target = kTarget) {
    // The operator's table lies in a file of its own, which has no operands.
    GraphBuilder builder;
    builder.op(c.op, {}, {}, attribute(c.op, c.fields));
    const auto file = builder.file();
    Graph graph;
    graph.target = target;
    graph.values = c.in;
    graph.values.insert(graph.values.end(), c.out.begin(), c.out.end());
    for (ValueId id = 0; id < graph.values.size(); ++id)
        graph.operands.push_back(id);
    const std::span<const ValueId> ids = graph.operands;
    const auto* region = fbs::GetTosaGraph(file.data())->regions()->Get(0);
    const Operator op{.op = c.op,
                      .inputs = ids.first(c.in.size()),
                      .outputs = ids.subspan(c.in.size()),
                      .serialized = region->blocks()->Get(0)->operators()->Get(0)};
    SoundConstants sound;
    const auto checked = check_operator({graph, op, level_limits(target.level), sound});
    return checked ? "" : checked.error().message;
}

const Value kCondition = tensor(DType::Bool);
const Value kNumber = tensor(DType::Fp32, 4);

TEST_CASE("control flow has its operands") {
    CHECK(verdict({Op::CondIf, {kCondition}}) == "");
    CHECK(verdict({Op::CondIf, {tensor(DType::Bool, 0), kNumber}, {kNumber, kNumber}}) == "");
    CHECK(verdict({Op::CondIf, {}, {kNumber}}) == "it has 0 inputs, where 1 or more are wanted");
    CHECK(verdict({Op::CondIf, {tensor(DType::Bool, 1, 2)}}) ==
          "its condition has 2 elements, not 1");
    CHECK(verdict({Op::CondIf, {tensor(DType::Int8)}}) ==
          "input 0: 'v' is INT8, which it cannot be");
    CHECK(verdict({Op::CondIf, {kCondition, tensor(DType::Shape)}}) ==
          "input 1: 'v' is a shape, where a tensor is wanted");
    CHECK(verdict({Op::CondIf, {kCondition, tensor(DType::Int4)}}) ==
          "input 1: 'v' is INT4, which is not of the target's profiles");
    CHECK(verdict({Op::CondIf, {kCondition}, {tensor(DType::Fp16, 7)}}) ==
          "output 0: 'v' has rank 7, outside 0 to 6");

    CHECK(verdict({Op::WhileLoop}) == "");
    CHECK(verdict({Op::WhileLoop, {kNumber, kCondition}, {kNumber, kCondition}}) == "");
    CHECK(verdict({Op::WhileLoop, {kNumber}}) == "it has 1 inputs, but 0 outputs");
    CHECK(verdict({Op::WhileLoop, {kNumber}, {kNumber, kNumber}}) ==
          "it has 1 inputs, but 2 outputs");
    CHECK(verdict({Op::WhileLoop, {tensor(DType::Bf16)}, {kNumber}}) ==
          "input 0: 'v' is BF16, which is not of the target's profiles");
}

TEST_CASE("control flow's lists are within the level, the condition apart") {
    std::vector<Value> in(65, kNumber);
    in[0] = kCondition;
    CHECK(verdict({Op::CondIf, in, std::vector<Value>(64, kNumber)}) == "");
    in.push_back(kNumber);
    CHECK(verdict({Op::CondIf, in}) == "its list of 65 inputs is longer than 64");
    const std::vector<Value> list(65, kNumber);
    CHECK(verdict({Op::CondIf, {kCondition}, list}) == "its list of 65 outputs is longer than 64");
    CHECK(verdict({Op::WhileLoop, list, list}) == "its list of 65 inputs is longer than 64");
}

TEST_CASE("control flow and variables are extensions") {
    constexpr Target kNone{.profiles = kProfileInteger | kProfileFloat};
    for (const Case& c :
         {Case{Op::CondIf, {kCondition}}, Case{Op::WhileLoop}, Case{Op::Variable},
          Case{Op::VariableWrite, {kNumber}}, Case{Op::VariableRead, {}, {kNumber}}}) {
        CHECK(verdict(c, kNone) == "the target lacks the operator's extension");
        Target other = kTarget;
        other.extensions ^= c.op < Op::Variable ? kExtensionControlFlow : kExtensionVariable;
        CHECK(verdict(c, other) == "the target lacks the operator's extension");
    }
}

TEST_CASE("control flow names its regions") {
    const auto nameless = [](Op op, const std::vector<Value>& in, Text Fields::* name) {
        Case c{op, in};
        c.fields.*name = "";
        const std::string empty = verdict(c);
        (c.fields.*name).reset();
        CHECK(verdict(c) == empty);
        return empty;
    };
    CHECK(nameless(Op::CondIf, {kCondition}, &Fields::then_graph) == "its then_graph is empty");
    CHECK(nameless(Op::CondIf, {kCondition}, &Fields::else_graph) == "its else_graph is empty");
    CHECK(nameless(Op::WhileLoop, {}, &Fields::cond_graph) == "its cond_graph is empty");
    CHECK(nameless(Op::WhileLoop, {}, &Fields::body_graph) == "its body_graph is empty");
}

TEST_CASE("variables are of three types, and written or read one at a time") {
    CHECK(verdict({Op::Variable}) == "");
    CHECK(verdict({Op::Variable, {kNumber}}) == "it has 1 inputs, where 0 are wanted");
    CHECK(verdict({Op::VariableWrite}) == "it has 0 inputs, where 1 are wanted");
    CHECK(verdict({Op::VariableRead, {}, {kNumber, kNumber}}) ==
          "it has 2 outputs, where 1 are wanted");
    for (const DType type : {DType::Bool, DType::Int4, DType::Int8, DType::Int16, DType::Int32,
                             DType::Int48, DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3}) {
        const bool fits = type == DType::Int8 || type == DType::Fp16 || type == DType::Fp32;
        // Whether `tensor()` is a variable is not what this is about.
        const std::string write = verdict({Op::VariableWrite, {tensor(type)}});
        const std::string read = verdict({Op::VariableRead, {}, {tensor(type)}});
        CHECK(write.contains("no combination") == !fits);
        CHECK(read.contains("no combination") == !fits);
    }
    constexpr Target kInteger{.profiles = kProfileInteger, .extensions = kExtensionVariable};
    CHECK(verdict({Op::VariableWrite, {kNumber}}, kInteger) ==
          "(FP32) -> () is no combination of data types of the target's profiles");
}

}  // namespace
}  // namespace tosa::test
