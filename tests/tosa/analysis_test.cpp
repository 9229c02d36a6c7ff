// SPDX-License-Identifier: MIT
//
// Hints for optimizers and what is constant. Graphs made by hand stand for operators of
// which no valid file is at hand.
#include "tosa/analysis.hpp"

#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

// Operators from values to values of 4 bytes each, in execution order, in one block.
struct Sketch {
    struct Step {
        Op op;
        std::vector<ValueId> inputs;
        std::vector<ValueId> outputs;
    };

    std::vector<Step> steps;
    std::vector<ValueId> outputs;
    Graph graph{};

    Sketch(std::size_t values, std::vector<Step> all, std::vector<ValueId> results)
        : steps(std::move(all)), outputs(std::move(results)) {
        graph.values.resize(values, {.type = DType::Fp32, .elements = 1, .bytes = 4});
        graph.regions.push_back({.name = "main", .blocks = 1});
        for (const Step& step : steps) {
            const auto id = static_cast<OperatorId>(graph.operators.size());
            for (const ValueId input : step.inputs)
                ++graph.values[input].consumers;
            for (const ValueId output : step.outputs) {
                graph.values[output].producer = id;
                ++graph.values[output].producers;
                if (step.op == Op::Const) graph.values[output].constness = Constness::Serialized;
            }
            graph.operators.push_back(
                {.op = step.op, .inputs = step.inputs, .outputs = step.outputs});
        }
        graph.blocks.push_back({.name = "entry",
                                .values = static_cast<std::uint32_t>(values),
                                .operators = static_cast<std::uint32_t>(steps.size()),
                                .outputs = outputs});
    }

    // The operators' hints after analysis.
    std::vector<std::uint32_t> hints(const AnalysisOptions& options = {}) {
        analyze(graph, options);
        std::vector<std::uint32_t> all;
        for (const Operator& op : graph.operators)
            all.push_back(op.hints);
        return all;
    }
};

using Hints = std::vector<std::uint32_t>;
using enum Op;

TEST_CASE("IDENTITY and RESHAPE may alias their input") {
    CHECK(
        Sketch(5, {{Identity, {0}, {2}}, {Reshape, {2, 1}, {3}}, {Tanh, {3}, {4}}}, {4}).hints() ==
        Hints{hint::kAliasInputZero, hint::kAliasInputZero, 0});
}

TEST_CASE("operators that only move constants fold, one after the other") {
    for (const Op op : {Identity, Reshape, Transpose, Reverse, Slice, Tile, Concat}) {
        CAPTURE(name(op));
        Sketch sketch(4, {{Const, {}, {0}}, {op, {0, 0}, {1}}, {op, {1}, {2}}, {Tanh, {2}, {3}}},
                      {3});
        const Hints hints = sketch.hints();
        CHECK((hints[1] & hint::kFoldConstant) != 0);
        CHECK((hints[2] & hint::kFoldConstant) != 0);
        CHECK(hints[0] == 0);
        CHECK(hints[3] == 0);
        CHECK(sketch.graph.values[0].constness == Constness::Serialized);
        CHECK(sketch.graph.values[1].constness == Constness::Foldable);
        CHECK(sketch.graph.values[2].constness == Constness::Foldable);
        CHECK(sketch.graph.values[3].constness == Constness::NonConstant);
    }
}

TEST_CASE("an operator folds only where all inputs are constant") {
    CHECK(Sketch(3, {{Const, {}, {0}}, {Concat, {0, 1}, {2}}}, {2}).hints() == Hints{0, 0});
    CHECK(Sketch(2, {{Const, {}, {0}}, {Tanh, {0}, {1}}}, {1}).hints() == Hints{0, 0});
    Sketch changing(2, {{Const, {}, {0}}, {Tile, {0}, {1}}}, {1});
    changing.graph.values[1].variable = true;
    CHECK(changing.hints() == Hints{0, 0});
}

TEST_CASE("an operator folds only while its outputs stay within the bound") {
    const auto hints = [](std::uint64_t most) {
        return Sketch(3, {{Const, {}, {0}}, {Tile, {0}, {1, 2}}}, {1, 2})
            .hints({.max_folded_constant_bytes = most});
    };
    CHECK(hints(7) == Hints{0, 0});
    CHECK(hints(8) == Hints{0, hint::kFoldConstant});
    Sketch large(2, {{Const, {}, {0}}, {Tile, {0}, {1}}}, {1});
    large.graph.values[1].bytes = (1U << 20) + 1;
    CHECK(large.hints() == Hints{0, 0});
    large.graph.values[1].bytes = 1U << 20;
    CHECK(large.hints() == Hints{0, hint::kFoldConstant});
}

TEST_CASE("two RESHAPE or two TRANSPOSE compose where nobody else reads between") {
    constexpr std::uint32_t kAlias = hint::kAliasInputZero;
    CHECK(Sketch(4, {{Reshape, {0, 1}, {2}}, {Reshape, {2, 1}, {3}}}, {3}).hints() ==
          Hints{kAlias, kAlias | hint::kComposeReshape});
    CHECK(Sketch(3, {{Transpose, {0}, {1}}, {Transpose, {1}, {2}}}, {2}).hints() ==
          Hints{0, hint::kComposeTranspose});
    CHECK(Sketch(4, {{Transpose, {0}, {1}}, {Transpose, {1}, {2}}, {Tanh, {1}, {3}}}, {2, 3})
              .hints() == Hints{0, 0, 0});
    CHECK(Sketch(3, {{Tanh, {0}, {1}}, {Transpose, {1}, {2}}}, {2}).hints() == Hints{0, 0});
    CHECK(Sketch(4, {{Transpose, {0}, {2}}, {Reshape, {2, 1}, {3}}}, {3}).hints() ==
          Hints{0, kAlias});
}

TEST_CASE("what has effects is marked and never dead") {
    CHECK(Sketch(6,
                 {{Custom, {0}, {1}},
                  {CondIf, {0}, {2}},
                  {WhileLoop, {0}, {3}},
                  {Variable, {}, {}},
                  {VariableWrite, {0}, {}},
                  {VariableRead, {}, {4}},
                  {Tanh, {4}, {5}}},
                 {})
              .hints() ==
          Hints{hint::kCustom, hint::kControlFlow, hint::kControlFlow, 0, 0, 0, hint::kDead});
}

TEST_CASE("uses are those of operators that run") {
    Sketch sketch(4, {{Tanh, {0}, {1}}, {Tanh, {0}, {2}}, {Add, {0, 2}, {3}}}, {3});
    CHECK(sketch.hints() == Hints{hint::kDead, 0, 0});
    const std::vector<Value>& values = sketch.graph.values;
    CHECK(values[0].first_use == 1);
    CHECK(values[0].last_use == 2);
    CHECK(values[1].first_use == kNoId);
    CHECK(values[2].first_use == 2);
    CHECK(values[3].first_use == 3);
    CHECK(values[3].last_use == 3);
}

TEST_CASE("a file's constants are serialized, of a scalar's shape too, and nothing else") {
    GraphBuilder graph;
    graph.input("a", {1}).output("out", {}).constant("c", {1}, bytes_of({1.0F}));
    graph.tensor("sum", {1}).shape("s", {}).op(Op::Add, {"a", "c"}, {"sum"});
    graph.op(Op::Reshape, {"sum", "s"}, {"out"});
    graph.find("a").data = bytes_of({1.0F});
    const auto [file, read] = built(graph.file());
    CHECK(read.values[0].constness == Constness::NonConstant);
    CHECK(read.values[0].data.empty());
    CHECK(read.values[2].constness == Constness::Serialized);
    CHECK(read.values[3].constness == Constness::NonConstant);
    CHECK(read.values[4].constness == Constness::Serialized);
    CHECK(read.operators.back().hints == hint::kAliasInputZero);
}

TEST_CASE("the bound of what folds is an option of building") {
    GraphBuilder graph;
    graph.output("out", {2}).constant("c", {2}, bytes_of({1.0F, 2.0F}));
    const auto file = graph.op(Op::Identity, {"c"}, {"out"}).file();
    const auto folds = [&](std::uint64_t most) {
        const auto read = build_graph(file, kFloatTarget, {}, {.max_folded_constant_bytes = most});
        REQUIRE(read.has_value());
        return (read->operators[1].hints & hint::kFoldConstant) != 0;
    };
    CHECK(folds(8));
    CHECK_FALSE(folds(7));
}

}  // namespace
}  // namespace tosa::test
