// SPDX-License-Identifier: MIT
//
// Variables, which keep their contents from run to run.
#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

using enum Code;

const std::string kEntry = "region 'main', block 'entry': ";

// Writes the input to variable "v", then gives what it reads back.
GraphBuilder write_and_read() {
    GraphBuilder graph;
    graph.input("in", {2}).output("out", {2});
    graph.variable("new", "v", {2}).variable("old", "v", {2});
    graph.op(Op::Variable, {}, {});
    graph.op(Op::Identity, {"in"}, {"new"}).op(Op::VariableWrite, {"new"}, {});
    return graph.op(Op::VariableRead, {}, {"old"}).op(Op::Identity, {"old"}, {"out"});
}

void refuse(const GraphBuilder& graph, Code code, const std::string& message,
            const Target& target = kEverything) {
    check_refused(graph.file(), code, message, target);
}

Names order_of(const GraphBuilder& builder) {
    const auto [file, graph] = built(builder.file(), kEverything);
    Names names;
    for (const Operator& op : graph.operators)
        names.emplace_back(name(op.op));
    return names;
}

TEST_CASE("a variable has its name, and its initial value though nothing makes it constant") {
    GraphBuilder builder = write_and_read();
    builder.find("old").data = bytes_of({1.0F, 2.0F});
    builder.find("in").data = bytes_of({1.0F, 2.0F});
    const auto [file, graph] = built(builder.file(), kEverything);
    const Value& old = graph.values[3];
    CHECK(old.variable);
    CHECK(old.variable_name == "v");
    CHECK(old.data.size() == 8);
    CHECK_FALSE(old.constant());
    CHECK(graph.values[2].variable_name == "v");
    CHECK(graph.values[2].data.empty());
    CHECK_FALSE(graph.values[0].variable);
    CHECK(graph.values[0].data.empty());
}

TEST_CASE("what touches variables keeps its source order") {
    CHECK(order_of(write_and_read()) ==
          Names{"VARIABLE", "IDENTITY", "VARIABLE_WRITE", "VARIABLE_READ", "IDENTITY"});

    GraphBuilder read_first = write_and_read();
    std::swap(read_first.operators[2], read_first.operators[3]);
    CHECK(order_of(read_first) ==
          Names{"VARIABLE", "IDENTITY", "VARIABLE_READ", "VARIABLE_WRITE", "IDENTITY"});
}

TEST_CASE("control flow may touch variables, and keeps its place among them") {
    GraphBuilder graph = write_and_read();
    graph.input("go", {1}, DType::Bool).cond_if({"go"}, {}, "more", "more");
    std::rotate(graph.operators.begin() + 3, graph.operators.end() - 1, graph.operators.end());
    graph.add_region("more", GraphBuilder());
    CHECK(order_of(graph) ==
          Names{"VARIABLE", "IDENTITY", "VARIABLE_WRITE", "COND_IF", "VARIABLE_READ", "IDENTITY"});
}

TEST_CASE("only a variable may have several producers, and is used in source order") {
    GraphBuilder graph;
    graph.input("in", {2}).output("out", {2}).output("first", {2}).variable("state", "v", {2});
    graph.op(Op::VariableRead, {}, {"state"}).op(Op::Identity, {"state"}, {"first"});
    graph.op(Op::Add, {"state", "in"}, {"state"}).op(Op::VariableWrite, {"state"}, {});
    graph.op(Op::Identity, {"state"}, {"out"});
    CHECK(order_of(graph) ==
          Names{"VARIABLE_READ", "IDENTITY", "ADD", "VARIABLE_WRITE", "IDENTITY"});
    const auto [file, read] = built(graph.file(), kEverything);
    const Value& state = read.values[3];
    CHECK(state.producer == 0);
    CHECK(state.producers == 2);
    CHECK(state.last_use == 4);

    GraphBuilder too_early = graph;
    std::swap(too_early.operators[0], too_early.operators[2]);
    refuse(too_early, DataflowCycle, kEntry + "operator 0 (ADD) waits for its own result");
    std::swap(too_early.operators[0], too_early.operators[1]);  // IDENTITY, ADD, VARIABLE_READ
    refuse(too_early, DataflowCycle, kEntry + "operator 1 (ADD) waits for its own result");
    too_early.operators[1].inputs[0] = "in";
    refuse(too_early, DataflowCycle, kEntry + "operator 0 (IDENTITY) waits for its own result");

    GraphBuilder twice = graph;
    twice.operators[0].outputs = {"state", "state"};
    refuse(twice, MultipleProducers,
           kEntry + "operator 0 (VARIABLE_READ): 'state' already has a producer, operator 0");

    graph.find("state").variable = false;
    graph.find("state").variable_name.clear();
    refuse(graph, MultipleProducers,
           kEntry + "operator 2 (ADD): 'state' already has a producer, operator 0");
}

TEST_CASE("operators on variables always run") {
    const auto [file, graph] = built(write_and_read().file(), kEverything);
    for (const Operator& op : graph.operators)
        CHECK_FALSE(op.dead());
}

TEST_CASE("a variable takes its extension and a name") {
    GraphBuilder graph = write_and_read();
    refuse(graph, InvalidVariable, kEntry + "tensor 'new': a variable needs EXT-VARIABLE",
           {.profiles = kProfileFloat});
    graph.find("new").variable_name.clear();
    refuse(graph, InvalidVariable, kEntry + "tensor 'new': it is a variable without a name");
    graph.find("new").variable_name = std::string(1025, 'n');
    refuse(graph, LimitExceeded, kEntry + "tensor 'new': more than 1024 bytes of name");
    graph.find("new").variable_name = "v";
    graph.find("new").variable = false;
    refuse(graph, InvalidVariable,
           kEntry + "tensor 'new': it has a variable name, but is no variable");

    GraphBuilder plain = identity();
    plain.op(Op::Variable, {}, {});
    refuse(plain, UnsupportedTypeProfile,
           kEntry + "operator 1 (VARIABLE): the target lacks the operator's extension",
           {.profiles = kProfileFloat});
}

TEST_CASE("tensors of one variable are of one type, shape and initial value everywhere") {
    GraphBuilder graph = write_and_read();
    GraphBuilder other;
    other.variable("elsewhere", "v", {2});
    const std::string where =
        "region 'other', block 'entry': variable 'v': 'elsewhere' and 'new' of region 'main', "
        "block 'entry' are not of the same ";
    SUBCASE("type") {
        other.tensors[0].type = static_cast<std::uint32_t>(DType::Fp16);
        refuse(graph.add_region("other", other), InvalidVariable, where + "type");
    }
    SUBCASE("shape") {
        other.tensors[0].dims = Dims{1, 2};
        refuse(graph.add_region("other", other), InvalidVariable, where + "shape");
    }
    SUBCASE("initial value") {
        graph.find("new").data = bytes_of({1.0F, 2.0F});
        other.tensors[0].data = bytes_of({1.0F, 3.0F});
        refuse(graph.add_region("other", other), InvalidVariable, where + "initial value");
    }
    SUBCASE("but another variable is another matter") {
        other.tensors[0].dims = Dims{1, 2};
        other.tensors[0].variable_name = "w";
        CHECK(build_graph(graph.add_region("other", other).file(), kEverything).has_value());
    }
}

TEST_CASE("operators on variables take variables") {
    GraphBuilder graph = write_and_read();
    SUBCASE("written") {
        graph.operators[2].inputs = {"in"};
        refuse(graph, InvalidVariable, kEntry + "operator 2 (VARIABLE_WRITE): 'in' is no variable");
    }
    SUBCASE("read") {
        graph.tensor("plain", {2}).operators[3].outputs = {"plain"};
        graph.operators[4].inputs = {"plain"};
        refuse(graph, InvalidVariable,
               kEntry + "operator 3 (VARIABLE_READ): 'plain' is no variable");
    }
    SUBCASE("a shape") {
        graph.shape("s", {2}).operators[2].inputs = {"s"};
        refuse(
            graph, ExpectedTensor,
            kEntry +
                "operator 2 (VARIABLE_WRITE): input 0: 's' is a shape, where a tensor is wanted");
    }
    SUBCASE("too many") {
        graph.operators[2].inputs = {"new", "new"};
        refuse(graph, InvalidArity,
               kEntry + "operator 2 (VARIABLE_WRITE): it has 2 inputs, where 1 are wanted");
    }
    SUBCASE("too few") {
        graph.operators[3].outputs.clear();
        graph.operators.pop_back();
        graph.outputs.clear();
        refuse(graph, InvalidArity,
               kEntry + "operator 3 (VARIABLE_READ): it has 0 outputs, where 1 are wanted");
    }
}

}  // namespace
}  // namespace tosa::test
