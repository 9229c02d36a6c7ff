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
          "region 'main', block 'entry'\n"
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
    CHECK(std::ranges::count(text, '\n') == 4);
}

TEST_CASE("a dump has every block, and the regions that an operator names") {
    GraphBuilder branch;
    branch.input("x", {2}).output("y", {2}).tensor("z", {2});
    branch.op(Op::Identity, {"z"}, {"y"}).op(Op::Identity, {"x"}, {"z"});
    GraphBuilder graph;
    graph.input("go", {1}, tosa::DType::Bool).input("a", {2}).output("b", {2});
    graph.cond_if({"go", "a"}, {"b"}, "left", "right");
    graph.add_region("left", branch).add_region("right", branch).add_block("spare", GraphBuilder());
    const auto [file, read] = built(graph.file(), kEverything);
    const std::string text = inspect::dump(read);
    CHECK(
        text.starts_with("region 'main', block 'entry'\n"
                         "inputs   BOOL[1] 'go', FP32[2] 'a'\n"
                         "outputs  FP32[2] 'b'\n"
                         "COND_IF                  (BOOL[1] 'go', FP32[2] 'a') -> FP32[2] 'b', "
                         "region 'left', region 'right'\n"
                         "region 'main', block 'spare'\n"
                         "inputs   \n"));
    CHECK(
        text.ends_with("region 'right', block 'entry'\n"
                       "inputs   FP32[2] 'x'\n"
                       "outputs  FP32[2] 'y'\n"
                       "IDENTITY                 (FP32[2] 'x') -> FP32[2] 'z'\n"
                       "IDENTITY                 (FP32[2] 'z') -> FP32[2] 'y'\n"));

    const inspect::Stats stats = inspect::count(read);
    CHECK(stats.regions == 3);
    CHECK(stats.blocks == 4);
    CHECK(stats.peak_bytes == 8);
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
