// SPDX-License-Identifier: MIT
//
// Execution order, liveness and the shape of a graph.
#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

using enum Code;

// Operators by the name of their output, in execution order.
Names outputs_in_order(const Graph& graph) {
    Names names;
    for (const Operator& op : graph.operators)
        names.emplace_back(graph.values[op.outputs[0]].name);
    return names;
}

const Value& value(const Graph& graph, std::string_view name) {
    return *std::ranges::find(graph.values, name, &Value::name);
}

TEST_CASE("values are tensors first, then shapes, with their sizes") {
    GraphBuilder graph;
    graph.shape("s", {3, 2}).input("a", {2, 3}).output("out", {3, 2});
    graph.op(Op::Reshape, {"a", "s"}, {"out"});
    const auto [file, read] = built(graph.file());

    REQUIRE(read.values.size() == 3);
    CHECK(read.target == kFloatTarget);
    CHECK(read.values[0].name == "a");
    CHECK(read.values[0].bytes == 24);
    CHECK(read.values[0].elements == 6);
    CHECK(read.values[0].producer == kNoId);
    CHECK(read.values[1].name == "out");
    CHECK(read.values[1].producer == 1);
    CHECK(read.values[2].name == "s");
    CHECK(read.values[2].type == DType::Shape);
    CHECK(read.values[2].bytes == 16);
    CHECK(read.values[2].constant());
    CHECK(std::ranges::equal(read.inputs, std::vector<ValueId>{0}));
    CHECK(std::ranges::equal(read.outputs, std::vector<ValueId>{1}));
    CHECK(read.operators[1].serialized->op() == fbs::Op::RESHAPE);
}

TEST_CASE("operators run after their producers, otherwise in source order") {
    GraphBuilder graph;
    graph.input("in", {1}).tensor("a", {1}).tensor("b", {1}).tensor("c", {1}).output("d", {1});
    graph.op(Op::Add, {"c", "a"}, {"d"});
    graph.op(Op::Add, {"a", "b"}, {"c"});
    graph.op(Op::Identity, {"in"}, {"b"});
    graph.op(Op::Identity, {"in"}, {"a"});
    const auto [file, read] = built(graph.file());
    CHECK(outputs_in_order(read) == Names{"b", "a", "c", "d"});
    CHECK(value(read, "d").producer == 3);
    CHECK(value(read, "a").producer == 1);
}

TEST_CASE("liveness: last use, consumers and dead operators") {
    GraphBuilder graph;
    graph.input("in", {1}).tensor("a", {1}).tensor("b", {1}).tensor("unread", {1});
    graph.tensor("dead", {1}).output("out", {1}).output("early", {1});
    graph.op(Op::Identity, {"in"}, {"early"});
    graph.op(Op::Identity, {"in"}, {"a"});
    graph.op(Op::Add, {"a", "a"}, {"b"});
    graph.op(Op::Add, {"a", "b"}, {"out"});
    graph.op(Op::Identity, {"out"}, {"dead"});
    graph.op(Op::Identity, {"dead"}, {"unread"});
    const auto [file, read] = built(graph.file());

    const auto dead = [&](std::size_t i) { return read.operators[i].dead(); };
    CHECK_FALSE(dead(0));
    CHECK_FALSE(dead(3));
    CHECK(dead(4));
    CHECK(dead(5));
    CHECK(value(read, "in").last_use == 1);
    CHECK(value(read, "a").last_use == 3);
    CHECK(value(read, "a").consumers == 3);
    CHECK(value(read, "b").last_use == 3);
    CHECK(value(read, "out").last_use == 6);
    CHECK(value(read, "out").consumers == 1);
    CHECK(value(read, "early").last_use == 6);
    CHECK(value(read, "dead").last_use == 0);
}

TEST_CASE("a cycle is refused with an operator on it") {
    GraphBuilder graph;
    graph.input("in", {1}).tensor("a", {1}).tensor("b", {1}).output("out", {1});
    graph.op(Op::Identity, {"a"}, {"out"});
    graph.op(Op::Add, {"in", "b"}, {"a"});
    graph.op(Op::Identity, {"a"}, {"b"});
    check_refused(graph, DataflowCycle, "operator 1 (ADD) waits for its own result");

    graph.find("out").dims = {2};  // the dataflow comes before any operator's rule
    check_refused(graph, DataflowCycle, "operator 1 (ADD) waits for its own result");

    GraphBuilder self;
    self.input("in", {1}).output("out", {1}).op(Op::Add, {"in", "out"}, {"out"});
    check_refused(self, DataflowCycle, "operator 0 (ADD) waits for its own result");
}

TEST_CASE("a long chain in reverse source order takes no quadratic time") {
    constexpr std::size_t kLength = 20'000;
    GraphBuilder graph;
    const auto link = [](std::size_t i) { return std::format("t{}", i); };
    graph.input(link(0), {1}).output(link(kLength), {1});
    for (std::size_t i = 1; i < kLength; ++i)
        graph.tensor(link(i), {1});
    for (std::size_t i = kLength; i-- > 0;)
        graph.op(Op::Identity, {link(i)}, {link(i + 1)});
    const auto [file, read] = built(graph.file());
    CHECK(outputs_in_order(read).front() == link(1));
    CHECK(outputs_in_order(read).back() == link(kLength));
}

}  // namespace
}  // namespace tosa::test
