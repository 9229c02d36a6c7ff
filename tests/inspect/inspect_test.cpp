// SPDX-License-Identifier: MIT
#include "inspect/dump.hpp"
#include "inspect/stats.hpp"
#include "tosa/build_test.hpp"

using namespace tosa::test;
using tosa::Op;

TEST_SUITE_BEGIN("inspect");

namespace {

// (a + b) clamped, and an operator that nobody needs.
Built example() {
    GraphBuilder graph;
    graph.input("a", {2, 3}).input("b", {2, 3}).output("out", {2, 3});
    graph.tensor("sum", {2, 3}).tensor("lonely", {2, 3});
    graph.op(Op::Add, {"a", "b"}, {"sum"});
    graph.clamp("sum", "out", 0.0F, 6.0F);
    graph.op(Op::Identity, {"a"}, {"lonely"});
    return built(graph.file());
}

}  // namespace

TEST_CASE("a dump has a line for each operator, in the order of execution") {
    CHECK(inspect::dump(example().graph) ==
          "inputs   FP32[2,3] 'a', FP32[2,3] 'b'\n"
          "outputs  FP32[2,3] 'out'\n"
          "ADD                      (FP32[2,3] 'a', FP32[2,3] 'b') -> FP32[2,3] 'sum'\n"
          "IDENTITY                 (FP32[2,3] 'a') -> FP32[2,3] 'lonely', dead\n"
          "CLAMP                    (FP32[2,3] 'sum') -> FP32[2,3] 'out'\n");
}

TEST_CASE("names cannot leave their quotes") {
    GraphBuilder graph;
    graph.input("a'\n\x1b[2J", {1}).output("out", {1}).op(Op::Identity, {"a'\n\x1b[2J"}, {"out"});
    const std::string text = inspect::dump(built(graph.file()).graph);
    CHECK_FALSE(text.contains('\x1b'));
    CHECK(std::ranges::count(text, '\n') == 3);
}

TEST_CASE("statistics count operators, and bytes by what they are for") {
    const inspect::Stats stats = inspect::count(example().graph);
    CHECK(stats.operators.at(Op::Add) == 1);
    CHECK(stats.operators.at(Op::Clamp) == 1);
    CHECK(stats.dead == 1);
    CHECK(stats.constant_bytes == 0);
    CHECK(stats.binding_bytes == 3 * 24);
    CHECK(stats.peak_bytes == 24);
}

TEST_CASE("what is between is counted from its making to its last use") {
    GraphBuilder graph;
    graph.input("in", {4}).output("out", {4});
    for (const char* name : {"one", "two", "three"})
        graph.tensor(name, {4});
    graph.op(Op::Identity, {"in"}, {"one"});
    graph.op(Op::Identity, {"one"}, {"two"});    // one and two live
    graph.op(Op::Identity, {"two"}, {"three"});  // two and three
    graph.op(Op::Add, {"three", "three"}, {"out"});
    CHECK(inspect::count(built(graph.file()).graph).peak_bytes == 2 * 16);

    graph.operators.back().inputs = {"one", "three"};  // all three
    CHECK(inspect::count(built(graph.file()).graph).peak_bytes == 3 * 16);
}

TEST_CASE("constants are bytes of their own") {
    GraphBuilder graph;
    graph.input("lhs", {1, 2, 3}).input("rhs", {1, 3, 2}).output("out", {1, 2, 2});
    graph.matmul("lhs", "rhs", "out");
    CHECK(inspect::count(built(graph.file()).graph).constant_bytes == 8);
}

TEST_SUITE_END();
