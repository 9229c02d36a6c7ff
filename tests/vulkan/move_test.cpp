// SPDX-License-Identifier: MIT
//
// Data movement keeps every bit of every type, and leaves alone what is behind a tensor whose
// last word it fills in part (the oracle looks).
#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

constexpr DType kTypes[] = {DType::Fp32, DType::Fp16, DType::Fp8E4M3, DType::Fp8E5M2,
                            DType::Bool, DType::Int8, DType::Int32};

// All patterns of the type, over and over.
Bytes patterns(DType type, const Dims& dims) {
    Bytes bytes(tosa::buffer_bytes(type, tosa::element_count(dims)));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = type == DType::Bool ? std::byte(i % 3 == 0) : std::byte((i * 89 + 7) & 0xFF);
    return bytes;
}

// The bytes themselves are compared, as NaN is no exception here.
void check_bits(Oracle& oracle, const GraphBuilder& builder, const std::vector<Bytes>& inputs) {
    const auto file = builder.file();
    const auto graph = tosa::build_graph(file, tosa::kEveryTarget);
    REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
    CHECK(oracle.on_device(*graph, inputs) == Oracle::on_reference(*graph, inputs));
}

void check_move(Oracle& oracle, Op op, DType type, const Dims& from, const Dims& to,
                const Fields& fields = {}, const Names& parameters = {},
                const GraphBuilder& with = {}) {
    CAPTURE(static_cast<int>(op));
    CAPTURE(static_cast<int>(type));
    GraphBuilder graph = with;
    graph.input("x", from, type).output("y", to, type);
    Names names{"x"};
    names.insert(names.end(), parameters.begin(), parameters.end());
    graph.op(op, names, {"y"}, attribute(op, fields));
    check_bits(oracle, graph, {patterns(type, from)});
}

}  // namespace

TEST_SUITE("vulkan/move" * doctest::skip(skipped())) {
    TEST_CASE("IDENTITY, RESHAPE, REVERSE and TRANSPOSE of every type") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto type : kTypes) {
            check_move(oracle, Op::Identity, type, {257}, {257});
            GraphBuilder shape;
            shape.shape("s", {7, 5});
            check_move(oracle, Op::Reshape, type, {5, 7}, {7, 5}, {}, {"s"}, shape);
            for (std::int32_t axis = 0; axis < 3; ++axis)
                check_move(oracle, Op::Reverse, type, {3, 5, 7}, {3, 5, 7}, {.axis = axis});
            check_move(oracle, Op::Reverse, type, {3, 1}, {3, 1}, {.axis = 1});
            check_move(oracle, Op::Transpose, type, {3, 5, 7}, {7, 3, 5}, {.perms = Dims{2, 0, 1}});
            check_move(oracle, Op::Transpose, type, {2, 3, 1, 3, 1, 5}, {5, 1, 3, 1, 3, 2},
                       {.perms = Dims{5, 4, 3, 2, 1, 0}});
        }
    }

    TEST_CASE("SLICE, TILE and PAD of every type") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto type : kTypes) {
            GraphBuilder slice;
            slice.shape("a", {1, 0, 3}).shape("n", {2, 5, 3});
            check_move(oracle, Op::Slice, type, {4, 5, 7}, {2, 5, 3}, {}, {"a", "n"}, slice);
            GraphBuilder tile;
            tile.shape("m", {2, 1, 3});
            check_move(oracle, Op::Tile, type, {3, 5, 3}, {6, 5, 9}, {}, {"m"}, tile);
            GraphBuilder pad;
            pad.shape("p", {1, 0, 2, 3, 0, 1});
            pad.constant("k", {1}, Bytes(tosa::constant_bytes(type, 1)), type);
            check_move(oracle, Op::Pad, type, {2, 3, 5}, {3, 8, 6}, {}, {"p", "k"}, pad);
        }
    }

    TEST_CASE("CONCAT of one to nine inputs, along every axis") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto type : kTypes)
            for (std::int32_t axis = 0; axis < 3; ++axis)
                for (std::int32_t count = 1; count <= 9; count += count == 5 ? 3 : 1) {
                    CAPTURE(static_cast<int>(type));
                    CAPTURE(count);
                    GraphBuilder graph;
                    Names names;
                    std::vector<Bytes> inputs;
                    const auto at = static_cast<std::size_t>(axis);
                    Dims all{2, 3, 3};
                    all[at] = 0;
                    for (std::int32_t i = 0; i < count; ++i) {
                        Dims dims{2, 3, 3};
                        dims[at] = 1 + i % 3;
                        all[at] += dims[at];
                        names.push_back("x" + std::to_string(i));
                        graph.input(names.back(), dims, type);
                        inputs.push_back(patterns(type, dims));
                        std::ranges::rotate(inputs.back(), inputs.back().begin() + i % 4);
                    }
                    graph.output("y", all, type);
                    graph.op(Op::Concat, names, {"y"}, attribute(Op::Concat, {.axis = axis}));
                    check_bits(oracle, graph, inputs);
                }
    }
}
