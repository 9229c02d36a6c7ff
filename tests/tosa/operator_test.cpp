// SPDX-License-Identifier: MIT
//
// The rules of single operators.
#include <cmath>
#include <limits>

#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

using enum GraphError::Kind;

constexpr Target kInteger{.profiles = kProfileInteger};

// One operator from inputs a, b, ... of these shapes to "out".
GraphBuilder single(Op op, std::initializer_list<Dims> inputs, Dims output,
                    DType type = DType::Fp32) {
    GraphBuilder graph;
    Names names;
    for (const Dims& dims : inputs) {
        names.emplace_back(1, static_cast<char>('a' + names.size()));
        graph.input(names.back(), dims, type);
    }
    graph.output("out", std::move(output), type).op(op, names, {"out"});
    return graph;
}

bool accepts(const GraphBuilder& graph, const Target& target = kFloatTarget) {
    return build_graph(graph.file(), target).has_value();
}

TEST_CASE("an operator has its number of operands, each tensor or shape as it wants") {
    check_refused(single(Op::Add, {{2}}, {2}), Malformed,
                  "operator 0 (ADD): it has 1 inputs, where 2 are wanted");
    GraphBuilder graph = single(Op::Identity, {{2}}, {2});
    SUBCASE("no output") {
        graph.operators[0].outputs.clear();
        graph.outputs.clear();
        check_refused(graph, Malformed,
                      "operator 0 (IDENTITY): it has 0 outputs, where 1 are wanted");
    }
    SUBCASE("shape for tensor") {
        graph.shape("s", {2}).operators[0].inputs = {"s"};
        check_refused(graph, Malformed,
                      "operator 0 (IDENTITY): input 0: 's' is a shape, where a tensor is wanted");
    }
    SUBCASE("tensor for shape") {
        check_refused(single(Op::Reshape, {{2}, {1}}, {2}), Malformed,
                      "operator 0 (RESHAPE): input 1: 'b' is a tensor, where a shape is wanted");
    }
}

TEST_CASE("ranks stay within the operator's and the level's") {
    GraphBuilder graph;
    graph.input("a", {2, 3}).input("b", {1, 3, 2}).output("out", {1, 2, 2});
    graph.matmul("a", "b", "out");
    check_refused(graph, Malformed, "operator 2 (MATMUL): input 0: 'a' has rank 2, outside 3 to 3");
    check_refused(single(Op::Identity, {Dims(7, 1)}, Dims(7, 1)), Malformed,
                  "operator 0 (IDENTITY): input 0: 'a' has rank 7, outside 0 to 6");
    CHECK(accepts(single(Op::Identity, {Dims(7, 1)}, Dims(7, 1)),
                  {.profiles = kProfileFloat, .level = Level::Unbounded}));
    CHECK(accepts(single(Op::Identity, {Dims{}}, {})));
}

TEST_CASE("types fit the operator and the target") {
    const auto add = [](DType type) { return single(Op::Add, {{2}, {2}}, {2}, type); };
    CHECK(accepts(add(DType::Fp32)));
    CHECK(accepts(add(DType::Fp16)));
    CHECK(accepts(add(DType::Int32)));
    CHECK(accepts(add(DType::Int32), kInteger));
    CHECK(accepts(add(DType::Bf16), kEverything));
    check_refused(add(DType::Bf16), Malformed,
                  "operator 0 (ADD): (BF16, BF16) -> (BF16) is no combination of data types of "
                  "the target's profiles",
                  kFloatTarget);
    check_refused(add(DType::Fp32), Malformed,
                  "operator 0 (ADD): (FP32, FP32) -> (FP32) is no combination of data types of "
                  "the target's profiles",
                  kInteger);
    GraphBuilder mixed = add(DType::Fp32);
    mixed.find("b").type = static_cast<std::uint32_t>(DType::Fp16);
    check_refused(mixed, Malformed,
                  "operator 0 (ADD): (FP32, FP16) -> (FP32) is no combination of data types for "
                  "this operator");
}

TEST_CASE("MATMUL widens its result and takes constant zero points") {
    GraphBuilder graph;
    graph.input("a", {2, 3, 4}).input("b", {2, 4, 5}).output("out", {2, 3, 5});
    graph.matmul("a", "b", "out");
    CHECK(accepts(graph));

    SUBCASE("FP16 to FP32") {
        for (const char* name : {"a", "b", "out_azp", "out_bzp"})
            graph.find(name).type = static_cast<std::uint32_t>(DType::Fp16);
        graph.find("out_azp").data = graph.find("out_bzp").data = bytes_of<char>({0, 0});
        CHECK(accepts(graph));
    }
    SUBCASE("negative zero is zero") {
        graph.find("out_azp").data = bytes_of({-0.0F});
        CHECK(accepts(graph));
    }
    SUBCASE("nonzero zero point") {
        graph.find("out_bzp").data = bytes_of({std::numeric_limits<float>::denorm_min()});
        check_refused(graph, Malformed, "operator 2 (MATMUL): zero point 'out_bzp' is not zero");
    }
    SUBCASE("zero point of two elements") {
        graph.find("out_bzp").dims = {2};
        graph.find("out_bzp").data = bytes_of({0.0F, 0.0F});
        check_refused(graph, Malformed, "operator 2 (MATMUL): zero point 'out_bzp' has 2 elements");
    }
    SUBCASE("zero point without data") {
        graph.find("out_azp").data.clear();
        check_refused(graph, Malformed, "operator 0 (CONST): its output 'out_azp' carries no data");
    }
    SUBCASE("zero point from an input") {
        graph.input("zero", {1}).operators[2].inputs[3] = "zero";
        check_refused(graph, Malformed, "operator 2 (MATMUL): input 3 'zero' is not a constant");
        CHECK(accepts(graph, {.profiles = kProfileFloat, .extensions = kExtensionDynamic}));
    }
}

TEST_CASE("MATMUL extents agree") {
    const auto refuse = [](Dims a, Dims b, Dims out, const std::string& message) {
        GraphBuilder graph;
        graph.input("a", std::move(a)).input("b", std::move(b)).output("out", std::move(out));
        check_refused(graph.matmul("a", "b", "out"), Malformed, "operator 2 (MATMUL): " + message);
    };
    refuse({2, 3, 4}, {1, 4, 5}, {2, 3, 5}, "[2,3,4] by [1,4,5] does not give [2,3,5]");
    refuse({1, 3, 4}, {1, 5, 4}, {1, 3, 4}, "[1,3,4] by [1,5,4] does not give [1,3,4]");
    refuse({1, 3, 4}, {1, 4, 5}, {2, 3, 5}, "[1,3,4] by [1,4,5] does not give [2,3,5]");
    refuse({1, 3, 4}, {1, 4, 5}, {1, 4, 5}, "[1,3,4] by [1,4,5] does not give [1,4,5]");
    refuse({1, 3, 4}, {1, 4, 5}, {1, 3, 4}, "[1,3,4] by [1,4,5] does not give [1,3,4]");
}

TEST_CASE("ADD broadcasts extents of one, aligned at the right") {
    CHECK(accepts(single(Op::Add, {{2, 1}, {1, 3}}, {2, 3})));
    CHECK(accepts(single(Op::Add, {{3}, {2, 3}}, {2, 3})));
    CHECK(accepts(single(Op::Add, {{}, {2}}, {2})));
    check_refused(single(Op::Add, {{2, 2}, {1, 3}}, {2, 3}), Malformed,
                  "operator 0 (ADD): inputs of shapes [2,2] and [1,3] do not broadcast to [2,3]");
    check_refused(single(Op::Add, {{2}, {2, 3}}, {2, 3}), Malformed,
                  "operator 0 (ADD): inputs of shapes [2] and [2,3] do not broadcast to [2,3]");
    check_refused(single(Op::Add, {{1}, {1}}, {2}), Malformed,
                  "operator 0 (ADD): inputs of shapes [1] and [1] do not broadcast to [2]");
    check_refused(single(Op::Add, {{2}, {2}}, {1, 2}), Malformed,
                  "operator 0 (ADD): inputs of shapes [2] and [2] do not broadcast to [1,2]");
}

TEST_CASE("CLAMP bounds are one element of its type each, ordered, not NaN") {
    const auto clamp = [](std::vector<std::byte> low, std::vector<std::byte> high,
                          DType type = DType::Fp32, NanMode mode = NanMode::Ignore) {
        GraphBuilder graph;
        graph.input("a", {2}, type).output("out", {2}, type);
        graph.clamp("a", "out", std::move(low), std::move(high), mode);
        return graph;
    };
    const auto refuse = [](const GraphBuilder& graph, const std::string& message) {
        check_refused(graph, Malformed, "operator 0 (CLAMP): " + message);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    CHECK(accepts(clamp(bytes_of({-kInfinity}), bytes_of({kInfinity}))));
    CHECK(accepts(clamp(bytes_of({1.0F}), bytes_of({1.0F}))));
    CHECK(accepts(
        clamp(bytes_of<std::uint16_t>({0xBC00}), bytes_of<std::uint16_t>({0x3C00}), DType::Fp16)));
    CHECK(accepts(clamp(bytes_of<char>({-128}), bytes_of<char>({127}), DType::Int8), kInteger));
    refuse(clamp(bytes_of({2.0F}), bytes_of({1.0F})), "its bounds, 2 and 1, are not in order");
    refuse(clamp(bytes_of({NAN}), bytes_of({1.0F})), "its bounds, nan and 1, are not in order");
    refuse(clamp(bytes_of({1.0F}), bytes_of({NAN})), "its bounds, 1 and nan, are not in order");
    refuse(clamp(bytes_of<std::uint16_t>({0x3C00}), bytes_of<std::uint16_t>({0xBC00}), DType::Fp16),
           "its bounds, 1 and -1, are not in order");
    refuse(clamp(bytes_of<std::uint16_t>({0x3F80}), bytes_of<std::uint16_t>({0xBF80}), DType::Bf16),
           "its bounds, 1 and -1, are not in order");
    refuse(clamp(bytes_of<std::int16_t>({1}), bytes_of<std::int16_t>({0}), DType::Int16),
           "its bounds, 1 and 0, are not in order");
    refuse(clamp(bytes_of({1.0}), bytes_of({2.0F})), "a bound is not one FP32");
    refuse(clamp(bytes_of({1.0F}), {}), "a bound is not one FP32");
    refuse(clamp(bytes_of({1.0F}), bytes_of({2.0F}), DType::Fp32, NanMode{0}), "0 is no NaN mode");
    refuse(clamp(bytes_of({1.0F}), bytes_of({2.0F}), DType::Fp32, NanMode{3}), "3 is no NaN mode");
}

TEST_CASE("IDENTITY and CLAMP keep the shape") {
    check_refused(single(Op::Identity, {{2, 3}}, {3, 2}), Malformed,
                  "operator 0 (IDENTITY): the input has shape [2,3], the output [3,2]");
    GraphBuilder graph;
    graph.input("a", {2}).output("out", {3}).clamp("a", "out", 0, 1);
    check_refused(graph, Malformed, "operator 0 (CLAMP): the input has shape [2], the output [3]");
}

TEST_CASE("RESHAPE keeps the elements and gives the shape that its constant says") {
    const auto reshape = [](Dims in, std::initializer_list<std::int64_t> shape, Dims out) {
        GraphBuilder graph;
        graph.input("a", std::move(in)).output("out", std::move(out)).shape("s", shape);
        return graph.op(Op::Reshape, {"a", "s"}, {"out"});
    };
    CHECK(accepts(reshape({2, 3}, {3, 2}, {3, 2})));
    CHECK(accepts(reshape({1, 1}, {}, {})));
    check_refused(reshape({2, 3}, {3, 3}, {3, 3}), Malformed,
                  "operator 1 (RESHAPE): [2,3] has not as many elements as [3,3]");
    check_refused(reshape({2, 3}, {2, 3}, {3, 2}), Malformed,
                  "operator 1 (RESHAPE): the shape 's' is not that of the output, [3,2]");
    check_refused(reshape({2, 3}, {6, 1}, {6}), Malformed,
                  "operator 1 (RESHAPE): the shape 's' is not that of the output, [6]");

    GraphBuilder empty = reshape({2}, {2}, {2});
    empty.shapes[0].data.clear();
    check_refused(empty, Malformed, "operator 0 (CONST_SHAPE): its output 's' carries no data");
    std::swap(empty.operators[0], empty.operators[1]);
    check_refused(empty, Malformed, "operator 0 (RESHAPE): input 1 's' is not a constant");
}

}  // namespace
}  // namespace tosa::test
