// SPDX-License-Identifier: MIT
#include "vulkan/plan.hpp"

#include <doctest/doctest.h>

#include "tosa/attributes.hpp"
#include "tosa/graph.hpp"
#include "tosa/graph_builder.hpp"
#include "vulkan/arena.hpp"

using namespace vulkan;
using tosa::test::bytes_of;
using tosa::test::GraphBuilder;

namespace {

constexpr Grid kGrid{
    .elements = 17, .workgroup = 256, .edge = 16, .max_groups = 65535, .max_range = 1U << 20};

Result<Plan> plan(const GraphBuilder& builder, const Grid& grid = kGrid) {
    const auto file = builder.file();
    const auto graph = tosa::build_graph(file, tosa::kFloatTarget);
    REQUIRE(graph);
    auto lowering = lower(*graph, grid);
    if (!lowering) return std::unexpected(lowering.error());
    return schedule(*lowering, grid);
}

ErrorKind refusal(const GraphBuilder& builder, const Grid& grid = kGrid) {
    const auto made = plan(builder, grid);
    REQUIRE(!made);
    return made.error().kind;
}

// x0 -> x1 -> ... -> xN, each the one before in reverse: nothing that could be fused.
GraphBuilder chain(std::size_t length) {
    GraphBuilder builder;
    builder.input("x0", {100});
    for (std::size_t i = 1; i <= length; ++i) {
        const auto name = "x" + std::to_string(i);
        i == length ? builder.output(name, {100}) : builder.tensor(name, {100});
        builder.op(tosa::Op::Reverse, {"x" + std::to_string(i - 1)}, {name},
                   tosa::test::attribute(tosa::Op::Reverse, {.axis = 0}));
    }
    return builder;
}

}  // namespace

TEST_SUITE("vulkan/plan") {
    TEST_CASE("regions share bytes only when they are not alive together") {
        Arena arena;
        CHECK(arena.place(100, 0, 2) == 0);
        CHECK(arena.place(300, 1, 3) == 256);  // together with the first
        CHECK(arena.place(256, 3, 4) == 0);    // the first has ended
        CHECK(arena.place(257, 4, 5) == 256);  // a gap after the third
        CHECK(arena.place(1, 3, 3) == 768);    // the second lives to the end of step 3
        CHECK(arena.bytes() == 1024);
    }

    TEST_CASE("a chain of any length needs the room of two tensors, and a barrier a link") {
        const auto made = plan(chain(7));
        REQUIRE(made);
        CHECK(made->arena_bytes == 2 * 512);
        REQUIRE(made->dispatches.size() == 7);
        CHECK(!made->dispatches[0].barrier_before);
        for (std::size_t i = 1; i < 7; ++i)
            CHECK(made->dispatches[i].barrier_before);
    }

    TEST_CASE("dispatches that do not depend on each other have no barrier between them") {
        GraphBuilder builder;
        builder.input("a", {8}).input("b", {8}).output("c", {8}).output("d", {8});
        builder.output("e", {8}).output("f", {8});
        builder.clamp("a", "c", 0.0F, 1.0F).clamp("b", "f", 0.0F, 1.0F);
        builder.clamp("b", "d", 0.0F, 2.0F).op(tosa::Op::Add, {"f", "c"}, {"e"});

        const auto made = plan(builder);

        REQUIRE(made);
        REQUIRE(made->dispatches.size() == 4);
        std::size_t barriers = 0;
        for (const Dispatch& dispatch : made->dispatches)
            barriers += dispatch.barrier_before;
        CHECK(barriers == 1);
        CHECK(made->dispatches.back().barrier_before);
    }

    TEST_CASE("reshapes around a matmul cost neither a dispatch nor an arena") {
        GraphBuilder builder;
        builder.input("x", {6}).input("w", {1, 3, 2}).output("y", {4});
        builder.tensor("m", {1, 2, 3}).tensor("p", {1, 2, 2});
        builder.shape("s", {1, 2, 3}).shape("t", {4});
        builder.op(tosa::Op::Reshape, {"x", "s"}, {"m"}).matmul("m", "w", "p");
        builder.op(tosa::Op::Reshape, {"p", "t"}, {"y"});

        const auto made = plan(builder);

        REQUIRE(made);
        CHECK(made->dispatches.size() == 1);
        CHECK(made->arena_bytes == 0);
    }

    TEST_CASE("an identity of an input, of a constant, or of another output is a copy") {
        GraphBuilder builder;
        builder.input("x", {3}).constant("k", {3}, bytes_of({1.0F, 2.0F, 3.0F}));
        builder.output("a", {3}).output("b", {3}).output("c", {3}).output("d", {3});
        builder.op(tosa::Op::Identity, {"x"}, {"a"}).op(tosa::Op::Identity, {"k"}, {"b"});
        builder.clamp("x", "c", 0.0F, 1.0F).op(tosa::Op::Identity, {"c"}, {"d"});

        const auto made = plan(builder);

        REQUIRE(made);
        CHECK(made->dispatches.size() == 4);
        CHECK(std::ranges::count(made->dispatches, Kernel::Move,
                                 [](const Dispatch& d) { return d.variant.kernel; }) == 3);
        CHECK(made->arena_bytes == 256);  // the constant
    }

    TEST_CASE("what nothing depends on is dropped") {
        auto builder = chain(1);
        builder.tensor("unused", {100}).clamp("x0", "unused", 0.0F, 1.0F);

        const auto made = plan(builder);

        REQUIRE(made);
        CHECK(made->dispatches.size() == 1);
        CHECK(made->arena_bytes == 0);
    }

    TEST_CASE("a constant never lies where an earlier step writes") {
        // The constant is used last, when the first intermediates are long dead.
        GraphBuilder builder;
        builder.input("x", {100}).output("y", {100}).tensor("a", {100}).tensor("b", {100});
        builder.tensor("c", {100});
        const auto reverse = tosa::test::attribute(tosa::Op::Reverse, {.axis = 0});
        builder.op(tosa::Op::Reverse, {"x"}, {"a"}, reverse);
        builder.op(tosa::Op::Reverse, {"a"}, {"b"}, reverse);
        builder.op(tosa::Op::Reverse, {"b"}, {"c"}, reverse);
        builder.constant("k", {100}, std::vector<std::byte>(400));
        builder.op(tosa::Op::Add, {"c", "k"}, {"y"});

        const auto made = plan(builder);

        REQUIRE(made);
        REQUIRE(made->uploads.size() == 1);
        CHECK(made->uploads[0].bytes.size() == 400);
        CHECK(made->arena_bytes == 512 + 2 * 512);
        const auto constant_word = made->uploads[0].offset / 4;
        for (std::size_t i = 0; i < 3; ++i)  // a move's constants: in pair, out pair
            CHECK(made->dispatches[i].constants[3] != constant_word);
        const auto second_input = shader::kInputs + shader::kInputConstants;
        CHECK(made->dispatches[3].constants[second_input + 1 - 2] == constant_word);
    }

    TEST_CASE("a grid smaller than the work walks it in strides") {
        auto grid = kGrid;
        grid.workgroup = 16;
        CHECK(plan(chain(1), grid)->dispatches[0].groups == 7);
        grid.max_groups = 2;
        CHECK(plan(chain(1), grid)->dispatches[0].groups == 2);
    }

    TEST_CASE("tensors and arenas larger than a binding may span are over the limit") {
        auto grid = kGrid;
        grid.max_range = 400;
        CHECK(plan(chain(1), grid));
        CHECK(refusal(chain(2), grid) == ErrorKind::ResourceLimit);  // 512 bytes of arena
        grid.max_range = 396;
        CHECK(refusal(chain(1), grid) == ErrorKind::ResourceLimit);
    }

    TEST_CASE("inputs and outputs together leave room for the arena") {
        auto grid = kGrid;
        grid.elements = 3;
        CHECK(plan(chain(1), grid));
        grid.elements = 2;
        CHECK(refusal(chain(1), grid) == ErrorKind::ResourceLimit);
    }

    TEST_CASE("graphs outside the subset are refused") {
        GraphBuilder builder;
        builder.input("x", {2}).output("y", {2});
        SUBCASE("type") {
            builder = GraphBuilder();
            builder.input("x", {2}, tosa::DType::Int16).output("y", {2}, tosa::DType::Int16);
            builder.op(tosa::Op::Identity, {"x"}, {"y"});
        }
        SUBCASE("an input that is an output too") {
            builder.op(tosa::Op::Identity, {"x"}, {"y"});
            builder.outputs.push_back("x");
        }
        SUBCASE("an output that is a constant") {
            builder.op(tosa::Op::Identity, {"x"}, {"y"});
            builder.constant("k", {1}, bytes_of({1.0F}));
            builder.outputs.push_back("k");
        }
        CHECK(refusal(builder) == ErrorKind::Unsupported);
    }
}
