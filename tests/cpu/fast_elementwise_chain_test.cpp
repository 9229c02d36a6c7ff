// SPDX-License-Identifier: MIT
//
// Elementwise operators that are computed together: which are, and that their results are
// those of one after another.
#include <format>

#include "cpu/fast_elementwise.hpp"

namespace cpu::test {
namespace {

using tosa::Op;
using tosa::test::GraphBuilder;
using enum tosa::DType;

void check_same(const GraphBuilder& graph, const std::vector<Bytes>& inputs, DType out) {
    const auto expected = run_plan(graph, Engine::Reference, inputs);
    on_each_target([&] {
        const auto got = run_plan(graph, Engine::Fast, inputs);
        for (std::size_t i = 0; i < expected.size(); ++i)
            CHECK(difference(out, got[i], expected[i]) == "");
    });
}

std::size_t steps(const GraphBuilder& graph) {
    return Planned(graph, Engine::Fast).plan.steps.size();
}

GraphBuilder three_of(DType type, std::int32_t count) {
    GraphBuilder graph;
    graph.input("a", {count}, type).input("b", {count}, type);
    graph.tensor("c", {count}, type).tensor("d", {count}, type);
    return graph.output("out", {count}, type);
}

TEST_CASE("operators go together where each result is read once, at its own shape") {
    SUBCASE("a chain") {
        auto graph = three_of(Fp32, 2000);
        graph.op(Op::Add, {"a", "b"}, {"c"}).op(Op::Sub, {"c", "a"}, {"d"});
        graph.op(Op::Abs, {"d"}, {"out"});
        CHECK(steps(graph) == 1);
        CHECK(Planned(graph, Engine::Fast).plan.arena_bytes == 0);
        CHECK(Planned(graph, Engine::Reference).plan.steps.size() == 3);
    }
    SUBCASE("a tree") {
        auto graph = three_of(Fp32, 2000);
        graph.op(Op::Add, {"a", "b"}, {"c"}).op(Op::Sub, {"a", "b"}, {"d"});
        graph.op(Op::Maximum, {"c", "d"}, {"out"}, [](flatbuffers::FlatBufferBuilder& builder) {
            return tosa::fbs::CreateMaximumAttribute(builder,
                                                     tosa::fbs::NanPropagationMode::PROPAGATE)
                .Union();
        });
        CHECK(steps(graph) == 1);
        check_same(graph, {elements_of(Fp32, 2000, 1, 1), elements_of(Fp32, 2000, 62, 2)}, Fp32);
    }
    SUBCASE("not where a result is read twice") {
        auto graph = three_of(Fp32, 2000);
        graph.op(Op::Add, {"a", "b"}, {"c"}).op(Op::Abs, {"c"}, {"d"});
        graph.op(Op::Sub, {"d", "c"}, {"out"});
        CHECK(steps(graph) == 2);
        check_same(graph, {elements_of(Fp32, 2000, 1, 3), elements_of(Fp32, 2000, 62, 4)}, Fp32);
    }
    SUBCASE("not where one operator reads it twice") {
        auto graph = three_of(Fp32, 2000);
        graph.op(Op::Add, {"a", "b"}, {"c"}).op(Op::Abs, {"c"}, {"d"});
        graph.op(Op::Add, {"d", "d"}, {"out"});
        CHECK(steps(graph) == 2);
    }
    SUBCASE("not where a result is an output") {
        auto graph = three_of(Fp32, 2000);
        graph.outputs.push_back("c");
        graph.op(Op::Add, {"a", "b"}, {"c"}).op(Op::Abs, {"c"}, {"d"});
        graph.op(Op::Ceil, {"d"}, {"out"});
        CHECK(steps(graph) == 2);
        check_same(graph, {elements_of(Fp32, 2000, 1, 5), elements_of(Fp32, 2000, 62, 6)}, Fp32);
    }
    SUBCASE("not where a result is broadcast") {
        GraphBuilder graph;
        graph.input("row", {1, 50}).input("all", {40, 50});
        graph.tensor("moved", {1, 50}).output("out", {40, 50});
        graph.op(Op::Floor, {"row"}, {"moved"}).op(Op::Add, {"moved", "all"}, {"out"});
        CHECK(steps(graph) == 2);
        check_same(graph, {elements_of(Fp32, 50, 1, 7), elements_of(Fp32, 2000, 1, 8)}, Fp32);
    }
    SUBCASE("not what is not elementwise") {
        GraphBuilder graph;
        graph.input("a", {40, 50}).tensor("b", {40, 50}).tensor("c", {40, 50});
        graph.output("out", {40, 50});
        graph.op(Op::Abs, {"a"}, {"b"}).op(Op::Identity, {"b"}, {"c"});
        graph.op(Op::Ceil, {"c"}, {"out"});
        CHECK(steps(graph) == 3);
    }
    SUBCASE("also where another reader is dead") {
        auto graph = three_of(Fp32, 2000);
        graph.op(Op::Add, {"a", "b"}, {"c"}).op(Op::Abs, {"c"}, {"out"});
        graph.op(Op::Ceil, {"c"}, {"d"});
        CHECK(steps(graph) == 1);
    }
    SUBCASE("no more than fit") {
        GraphBuilder graph;
        graph.input("t0", {100});
        for (int i = 1; i < 40; ++i)
            graph.tensor(std::format("t{}", i), {100});
        graph.output("t40", {100});
        for (int i = 0; i < 40; ++i)
            graph.op(Op::Ceil, {std::format("t{}", i)}, {std::format("t{}", i + 1)});
        CHECK(steps(graph) == 3);
        check_same(graph, {elements_of(Fp32, 100, 1, 9)}, Fp32);
    }
}

// c is computed with out, when v has read u already: x must not be given u's memory.
TEST_CASE("what a chain reads lives until the chain is computed") {
    GraphBuilder graph;
    graph.input("a", {2000}).tensor("u", {2000}).tensor("c", {2000}).tensor("v", {2000});
    graph.tensor("x", {2000}).tensor("e", {2000}).output("out", {2000});
    graph.op(Op::Floor, {"a"}, {"u"}).op(Op::Abs, {"u"}, {"c"});
    graph.op(Op::Identity, {"u"}, {"v"}).op(Op::Add, {"v", "v"}, {"x"});
    graph.op(Op::Identity, {"x"}, {"e"}).op(Op::Sub, {"c", "e"}, {"out"});
    check_same(graph, {elements_of(Fp32, 2000, 1, 10)}, Fp32);
}

TEST_CASE("chains round to their type after each operator") {
    for (const DType type : {Fp16, Bf16}) {
        auto graph = three_of(type, 7181);
        graph.constant("shift", {1}, {std::byte{0}}, Int8);
        graph.op(Op::Mul, {"a", "b", "shift"}, {"c"}).op(Op::Add, {"c", "b"}, {"d"});
        graph.op(Op::Sub, {"d", "a"}, {"out"});
        CHECK(steps(graph) == 1);
        check_same(graph, {elements_of(type, 7181, 1, 11), elements_of(type, 7181, 62, 12)}, type);
    }
}

TEST_CASE("chains go on from one type to another") {
    constexpr std::int32_t kCount = 3001;
    GraphBuilder graph;
    graph.input("a", {kCount}, Fp32).input("b", {kCount}, Int8);
    graph.tensor("half", {kCount}, Fp16).tensor("back", {kCount}, Fp32);
    graph.tensor("whole", {kCount}, Int8).tensor("shifted", {kCount}, Int8);
    graph.tensor("wide", {kCount}, Int32).tensor("b wide", {kCount}, Int32);
    graph.tensor("sum", {kCount}, Int32).output("out", {kCount}, Bool);
    graph.constant("zero", {1}, tosa::test::bytes_of<std::int32_t>({0}), Int32);
    graph.op(Op::Cast, {"a"}, {"half"}).op(Op::Cast, {"half"}, {"back"});
    graph.op(Op::Cast, {"back"}, {"whole"}).op(Op::LogicalLeftShift, {"whole", "b"}, {"shifted"});
    graph.op(Op::Cast, {"shifted"}, {"wide"}).op(Op::Cast, {"b"}, {"b wide"});
    graph.op(Op::Add, {"wide", "b wide"}, {"sum"}).op(Op::Greater, {"sum", "zero"}, {"out"});
    CHECK(steps(graph) == 1);
    check_same(graph, {elements_of(Fp32, kCount, 1, 13), elements_of(Int8, kCount, 62, 14)}, Bool);
}

// Random operators on random earlier values, all of one shape or constants of one element.
GraphBuilder random_graph(DType type, std::int32_t count, std::mt19937& random) {
    GraphBuilder graph;
    graph.input("v0", {count}, type).input("v1", {count}, type);
    graph.constant("scalar", {1}, elements_of(type, 1, 1, 15), type);
    const std::vector<Op> unary = tosa::is_float(type)
                                      ? std::vector<Op>{Op::Abs, Op::Ceil, Op::Floor}
                                      : std::vector<Op>{Op::Abs, Op::BitwiseNot, Op::Clz};
    const std::vector<Op> binary = tosa::is_float(type)
                                       ? std::vector<Op>{Op::Add, Op::Sub}
                                       : std::vector<Op>{Op::Add, Op::Sub, Op::BitwiseXor};
    const auto any = [&](const auto& list) { return list[random() % list.size()]; };
    int values = 2;
    const auto earlier = [&] {
        if (random() % 8 == 0) return std::string("scalar");
        const auto back = static_cast<int>(random() % 3);
        return std::format("v{}", std::max(0, values - 1 - back));
    };
    for (int i = 0; i < 20; ++i) {
        const std::string out = std::format("v{}", values);
        if (i == 19 || random() % 6 == 0)
            graph.output(out, {count}, type);
        else
            graph.tensor(out, {count}, type);
        if (random() % 3 == 0)
            graph.op(any(unary), {std::format("v{}", values - 1)}, {out});
        else
            graph.op(any(binary), {std::format("v{}", values - 1), earlier()}, {out});
        ++values;
    }
    return graph;
}

TEST_CASE("random chains give what their operators give one after another") {
    std::mt19937 random(16);
    for (int round = 0; round < 40; ++round) {
        const DType type = std::array{Fp32, Fp16, Bf16, Int32}[static_cast<std::size_t>(round % 4)];
        const auto count = static_cast<std::int32_t>(1 + random() % 4000);
        const auto graph = random_graph(type, count, random);
        const auto elements = static_cast<std::uint64_t>(count);
        check_same(graph, {elements_of(type, elements, 1, 17), elements_of(type, elements, 7, 18)},
                   type);
    }
}

}  // namespace
}  // namespace cpu::test
