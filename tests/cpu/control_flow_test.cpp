// SPDX-License-Identifier: MIT
//
// Programs of several regions, and programs that remember, on both engines.
#include "cpu/rig.hpp"
#include "tosa/number.hpp"

namespace cpu::test {
namespace {

using tosa::DType;
using tosa::Op;
using tosa::test::bytes_of;
using tosa::test::GraphBuilder;

constexpr Engine kEngines[] = {Engine::Fast, Engine::Reference};

std::unique_ptr<provider::Program> load(const Rig& rig, const GraphBuilder& graph) {
    return take(rig.try_load(graph.file(), kNoCeiling, kTarget));
}

Bytes run(const Rig& rig, const GraphBuilder& graph, const std::vector<Bytes>& inputs,
          std::uint64_t output_bytes) {
    return rig.run(load(rig, graph), inputs, {output_bytes})[0];
}

GraphBuilder binary(Op op, float constant) {
    GraphBuilder graph;
    graph.input("x", {1}).output("y", {1}).constant("c", {1}, bytes_of({constant}));
    return graph.op(op, {"x", "c"}, {"y"});
}

TEST_CASE("COND_IF runs the region that its condition chooses") {
    GraphBuilder graph;
    graph.input("condition", {1}, DType::Bool).input("a", {1}).output("b", {1});
    graph.cond_if({"condition", "a"}, {"b"}, "more", "less");
    graph.add_region("more", binary(Op::Add, 10)).add_region("less", binary(Op::Sub, 10));
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        CHECK(run(rig, graph, {bytes_of<char>({1}), bytes_of({1.0F})}, 4) == bytes_of({11.0F}));
        CHECK(run(rig, graph, {bytes_of<char>({0}), bytes_of({1.0F})}, 4) == bytes_of({-9.0F}));
        CHECK(run(rig, graph, {bytes_of<char>({64}), bytes_of({1.0F})}, 4) == bytes_of({11.0F}));
    }
}

TEST_CASE("a region that two operators run keeps nothing of the first run") {
    GraphBuilder graph;
    graph.input("condition", {1}, DType::Bool).input("a", {1}).tensor("b", {1}).output("c", {1});
    graph.output("d", {1});
    graph.cond_if({"condition", "a"}, {"b"}, "more", "more");
    graph.cond_if({"condition", "b"}, {"c"}, "more", "more");
    graph.op(Op::Add, {"b", "c"}, {"d"});
    graph.add_region("more", binary(Op::Add, 10));
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        const auto out = rig.run(load(rig, graph), {bytes_of<char>({0}), bytes_of({1.0F})}, {4, 4});
        CHECK(out[0] == bytes_of({21.0F}));
        CHECK(out[1] == bytes_of({32.0F}));
    }
}

// Halves until what is left is no longer greater than one; counts the rounds.
GraphBuilder halving() {
    GraphBuilder test;
    test.input("x", {1}).input("n", {1}).output("go", {1}, DType::Bool);
    test.constant("one", {1}, bytes_of({1.0F})).op(Op::Greater, {"x", "one"}, {"go"});
    GraphBuilder body;
    body.input("x", {1}).input("n", {1}).output("half", {1}).output("more", {1});
    body.constant("c", {1}, bytes_of({0.5F})).constant("one", {1}, bytes_of({1.0F}));
    body.constant("shift", {1}, bytes_of<char>({0}), DType::Int8);
    body.op(Op::Mul, {"x", "c", "shift"}, {"half"}).op(Op::Add, {"n", "one"}, {"more"});
    GraphBuilder graph;
    graph.input("x", {1}).constant("zero", {1}, bytes_of({0.0F}));
    graph.output("left", {1}).output("rounds", {1});
    graph.while_loop({"x", "zero"}, {"left", "rounds"}, "test", "body");
    return graph.add_region("test", test).add_region("body", body);
}

TEST_CASE("WHILE_LOOP runs its body as long as its condition holds") {
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        const auto rounds = [&](float x) {
            const auto out = rig.run(load(rig, halving()), {bytes_of({x})}, {4, 4});
            return std::pair(out[0], out[1]);
        };
        CHECK(rounds(0.75F) == std::pair(bytes_of({0.75F}), bytes_of({0.0F})));
        CHECK(rounds(1024.0F) == std::pair(bytes_of({1.0F}), bytes_of({10.0F})));
        CHECK(rounds(-3.0F) == std::pair(bytes_of({-3.0F}), bytes_of({0.0F})));
    }
}

TEST_CASE("a loop that hands on its inputs in another order swaps them") {
    GraphBuilder test;
    test.input("a", {1}).input("b", {1}).output("go", {1}, DType::Bool);
    test.op(Op::Greater, {"a", "b"}, {"go"});
    GraphBuilder body;
    body.input("a", {1}).input("b", {1});
    body.outputs = {"b", "a"};
    GraphBuilder graph;
    graph.input("x", {1}).input("y", {1}).output("low", {1}).output("high", {1});
    graph.while_loop({"x", "y"}, {"low", "high"}, "test", "body");
    graph.add_region("test", test).add_region("body", body);
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        const auto out = rig.run(load(rig, graph), {bytes_of({7.0F}), bytes_of({3.0F})}, {4, 4});
        CHECK(out[0] == bytes_of({3.0F}));
        CHECK(out[1] == bytes_of({7.0F}));
    }
}

TEST_CASE("a loop without end is ended by its deadline or by its owner") {
    GraphBuilder test;
    test.input("x", {1}).output("go", {1}, DType::Bool);
    test.constant("yes", {1}, bytes_of<char>({1}), DType::Bool).op(Op::Identity, {"yes"}, {"go"});
    GraphBuilder graph;
    graph.input("a", {1}).output("b", {1}).while_loop({"a"}, {"b"}, "test", "body");
    graph.add_region("test", test).add_region("body", binary(Op::Add, 1));
    const Rig rig;
    const auto program = load(rig, graph);
    const auto a = rig.buffer_of(bytes_of({1.0F}));
    const auto b = rig.buffer(4);
    const Binding bindings[] = {
        {.buffer = a.get(), .bytes = 4, .slot = 0, .access = Access::Read},
        {.buffer = b.get(), .bytes = 4, .slot = 1, .access = Access::Write}};
    auto late = take(rig.try_submit(*program, bindings, 20'000'000));
    CHECK(rig.wait(*late).error == ErrorKind::DeadlineExpired);
    auto endless = take(rig.try_submit(*program, bindings));
    CHECK(rig.phase(*endless) == EventPhase::Pending);
    CHECK(rig.provider->cancel_event(*endless));
    CHECK(rig.wait(*endless).phase == EventPhase::Cancelled);
    CHECK(released(rig.provider->destroy_event(std::move(late))));
    CHECK(released(rig.provider->destroy_event(std::move(endless))));
}

TEST_CASE("regions nest, each with memory of its own") {
    // Six deep, as level 8K allows: each adds its number to what the next one gives.
    GraphBuilder graph;
    graph.input("condition", {1}, DType::Bool).input("a", {1}).output("b", {1});
    graph.cond_if({"condition", "a"}, {"b"}, "r1", "r1");
    for (int depth = 1; depth <= 6; ++depth) {
        GraphBuilder region;
        region.input("x", {1}).tensor("inner", {1}).output("y", {1});
        region.constant("c", {1}, bytes_of({static_cast<float>(depth)}));
        region.constant("yes", {1}, bytes_of<char>({1}), DType::Bool);
        const std::string next = "r" + std::to_string(depth + 1);
        if (depth < 6)
            region.cond_if({"yes", "x"}, {"inner"}, next, next);
        else
            region.op(Op::Identity, {"x"}, {"inner"});
        graph.add_region("r" + std::to_string(depth), region.op(Op::Add, {"inner", "c"}, {"y"}));
    }
    const Rig rig;
    CHECK(run(rig, graph, {bytes_of<char>({1}), bytes_of({100.0F})}, 4) == bytes_of({121.0F}));
}

// Adds the input to what the variable holds and gives the sum.
GraphBuilder counter(Bytes initial) {
    GraphBuilder graph;
    graph.input("x", {1}).output("sum", {1});
    graph.variable("old", "count", {1}).variable("new", "count", {1});
    graph.find("old").data = std::move(initial);
    graph.op(Op::Variable, {}, {}).op(Op::VariableRead, {}, {"old"});
    graph.op(Op::Add, {"old", "x"}, {"new"}).op(Op::VariableWrite, {"new"}, {});
    return graph.op(Op::Identity, {"new"}, {"sum"});
}

TEST_CASE("a variable lasts from run to run, and no longer than its program") {
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        const auto a = rig.buffer_of(bytes_of({2.0F}));
        const auto b = rig.buffer(4);
        const Binding bindings[] = {
            {.buffer = a.get(), .bytes = 4, .slot = 0, .access = Access::Read},
            {.buffer = b.get(), .bytes = 4, .slot = 1, .access = Access::Write}};
        const auto sums = [&](const GraphBuilder& graph) {
            auto program = load(rig, graph);
            std::vector<Bytes> out;
            for (int i = 0; i < 3; ++i) {
                auto event = take(rig.try_submit(*program, bindings));
                CHECK(rig.wait(*event).phase == EventPhase::Complete);
                CHECK(released(rig.provider->destroy_event(std::move(event))));
                out.push_back(rig.contents(*b, 4));
            }
            CHECK(released(rig.provider->unload_program(std::move(program))));
            return out;
        };
        const std::vector<Bytes> from_100{bytes_of({102.0F}), bytes_of({104.0F}),
                                          bytes_of({106.0F})};
        CHECK(sums(counter(bytes_of({100.0F}))) == from_100);
        CHECK(sums(counter(bytes_of({100.0F}))) == from_100);
        const std::vector<Bytes> from_0{bytes_of({2.0F}), bytes_of({4.0F}), bytes_of({6.0F})};
        CHECK(sums(counter({})) == from_0);
    }
}

TEST_CASE("a tensor of a variable that is written twice is read in between") {
    GraphBuilder graph;
    graph.input("a", {1}).input("b", {1}).tensor("x", {1}).output("y", {1});
    graph.variable("v", "n", {1}).constant("one", {1}, bytes_of({1.0F}));
    graph.op(Op::Identity, {"a"}, {"v"}).op(Op::Add, {"v", "one"}, {"x"});
    graph.op(Op::Identity, {"b"}, {"v"}).op(Op::Add, {"x", "v"}, {"y"});
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        const auto out = rig.run(load(rig, graph), {bytes_of({1.0F}), bytes_of({10.0F})}, {4});
        CHECK(out[0] == bytes_of({12.0F}));
    }
}

TEST_CASE("constants of INT48 and INT4 lie in memory as buffers have them") {
    GraphBuilder graph;
    graph.output("wide", {3}, DType::Int48).output("narrow", {3}, DType::Int4);
    graph.constant("w", {3}, bytes_of<std::int64_t>({-2, 1LL << 40, 5}), DType::Int48);
    graph.constant("n", {3}, bytes_of<unsigned char>({0x2F, 0x07}), DType::Int4);
    graph.op(Op::Identity, {"w"}, {"wide"}).op(Op::Identity, {"n"}, {"narrow"});
    for (const Engine engine : kEngines) {
        const Rig rig({.engine = engine});
        const auto out = rig.run(load(rig, graph), {}, {18, 2});
        for (std::uint64_t i = 0; i < 3; ++i) {
            constexpr std::int64_t kWide[] = {-2, 1LL << 40, 5};
            constexpr std::int64_t kNarrow[] = {-1, 2, 7};
            CHECK(tosa::read_integer(DType::Int48, out[0].data(), i) == kWide[i]);
            CHECK(tosa::read_integer(DType::Int4, out[1].data(), i) == kNarrow[i]);
        }
    }
}

}  // namespace
}  // namespace cpu::test
