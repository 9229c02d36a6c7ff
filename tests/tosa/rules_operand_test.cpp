// SPDX-License-Identifier: MIT
//
// Numbers, kinds and ranks of operands, and which must be constant.
#include <limits>

#include "tosa/build_test.hpp"
#include "tosa/single_operator.hpp"

namespace tosa::test {
namespace {

constexpr std::uint32_t kFirstControlFlow = static_cast<std::uint32_t>(Op::CondIf);

// Valid types for `valid(op)`, where FP32 is none.
Types types_for(Op op) {
    switch (op) {
        case Op::ArithmeticRightShift:
        case Op::BitwiseAnd:
        case Op::BitwiseOr:
        case Op::BitwiseXor:
        case Op::BitwiseNot:
        case Op::IntDiv:
        case Op::LogicalLeftShift:
        case Op::LogicalRightShift:
        case Op::Clz:
            return {DType::Int32, DType::Int32};
        case Op::LogicalAnd:
        case Op::LogicalOr:
        case Op::LogicalXor:
        case Op::LogicalNot:
        case Op::ReduceAll:
        case Op::ReduceAny:
            return {DType::Bool, DType::Bool};
        case Op::Table:
            return {DType::Int8, DType::Int8, DType::Int8};
        case Op::Rescale:
            return {DType::Int8, DType::Int8};
        case Op::Equal:
        case Op::Greater:
        case Op::GreaterEqual:
            return {DType::Fp32, DType::Bool};
        case Op::Argmax:
            return {DType::Fp32, DType::Int32};
        case Op::Cast:
            return {DType::Fp32, DType::Fp16};
        default:
            return {};
    }
}

std::vector<SingleOperator> all_valid() {
    std::vector<SingleOperator> all;
    for (std::uint32_t number = 1; number <= kLastStableOp; ++number)
        if (number < kFirstControlFlow || number == kLastStableOp)
            all.push_back(valid(Op{number}, types_for(Op{number})));
    return all;
}

TEST_CASE("the valid operator that tests spoil is valid, for each") {
    for (const SingleOperator& single : all_valid()) {
        const auto graph = build_graph(single.graph().file(), kEverything);
        CHECK_MESSAGE(graph.has_value(), graph.error().message);
    }
}

TEST_CASE("every operator has its number of inputs and outputs") {
    for (const SingleOperator& good : all_valid()) {
        if (good.op == Op::Custom) continue;
        CAPTURE(name(good.op));
        if (good.op != Op::Concat) {
            SingleOperator more = good;
            more.in.push_back({{1}, DType::Fp32});
            check_refused(more, std::format("it has {} inputs, where {} are wanted", more.in.size(),
                                            good.in.size()));
        }
        if (!good.in.empty()) {
            SingleOperator fewer = good;
            fewer.in.clear();
            check_refused(
                fewer, good.op == Op::Concat
                           ? "it has 0 inputs, where 1 or more are wanted"
                           : std::format("it has 0 inputs, where {} are wanted", good.in.size()));
        }
        SingleOperator more = good;
        more.out.push_back({{1}, DType::Fp32});
        check_refused(more, std::format("it has {} outputs, where {} are wanted", more.out.size(),
                                        good.out.size()));
        SingleOperator none = good;
        none.out.clear();
        check_refused(none, std::format("it has 0 outputs, where {} are wanted", good.out.size()));
    }
}

TEST_CASE("tensor lists are within the level") {
    SingleOperator concat = valid(Op::Concat);
    concat.in.assign(64, concat.in[0]);
    concat.out[0].dims[1] = 3 * 64;
    CHECK(accepted(concat));
    concat.in.push_back(concat.in[0]);
    check_refused(concat, "its list of 65 inputs is longer than 64");
    concat.out[0].dims[1] = 3 * 65;
    CHECK(accepted(concat, {.profiles = kProfileFloat, .level = Level::Unbounded}));
    concat.in.assign(257, concat.in[0]);
    check_refused(concat, "its list of 257 inputs is longer than 256",
                  {.profiles = kProfileFloat, .level = Level::Unbounded});

    SingleOperator custom = valid(Op::Custom);
    custom.out.assign(65, custom.out[0]);
    check_refused(custom, "its list of 65 outputs is longer than 64");
    custom.out.pop_back();
    CHECK(accepted(custom));
    custom.in.clear();
    CHECK(accepted(custom));
}

TEST_CASE("every operand is a tensor or a shape, as the operator wants") {
    for (const SingleOperator& good : all_valid()) {
        CAPTURE(name(good.op));
        for (std::size_t i = 0; i < good.in.size(); ++i) {
            SingleOperator wrong = good;
            const bool wants_shape = good.in[i].from == Operand::From::Shape;
            wrong.in[i] = wants_shape ? Operand{{1}, DType::Fp32} : shape({1});
            check_refused(wrong,
                          std::format("input {}: '{}' is a {}, where a {} is wanted", i,
                                      static_cast<char>('a' + i), wants_shape ? "tensor" : "shape",
                                      wants_shape ? "shape" : "tensor"));
        }
        SingleOperator wrong = good;
        const bool wants_shape = good.out[0].from == Operand::From::Shape;
        wrong.out[0] = wants_shape ? Operand{{1}, DType::Fp32} : shape({});
        check_refused(
            wrong, std::format("output 0: 'out0' is a {}, where a {} is wanted",
                               wants_shape ? "tensor" : "shape", wants_shape ? "shape" : "tensor"));
    }
}

struct RankCase {
    Op op;
    std::size_t input;  // kOutput: the first output
    std::size_t low, high;
};
constexpr std::size_t kOutput = 99;
// Where `valid()` has rank 2 unless one rank is wanted.
constexpr RankCase kRanks[] = {
    {Op::Argmax, 0, 1, 6},
    {Op::Argmax, kOutput, 1, 1},
    {Op::AvgPool2d, 0, 4, 4},
    {Op::AvgPool2d, 1, 1, 1},
    {Op::AvgPool2d, 2, 1, 1},
    {Op::AvgPool2d, kOutput, 4, 4},
    {Op::Conv2d, 0, 4, 4},
    {Op::Conv2d, 1, 4, 4},
    {Op::Conv2d, 2, 1, 1},
    {Op::Conv2d, 3, 1, 1},
    {Op::Conv2d, 4, 1, 1},
    {Op::Conv2d, kOutput, 4, 4},
    {Op::Conv3d, 0, 5, 5},
    {Op::Conv3d, 1, 5, 5},
    {Op::Conv3d, 2, 1, 1},
    {Op::Conv3d, kOutput, 5, 5},
    {Op::DepthwiseConv2d, 0, 4, 4},
    {Op::DepthwiseConv2d, 1, 4, 4},
    {Op::TransposeConv2d, 0, 4, 4},
    {Op::TransposeConv2d, 1, 4, 4},
    {Op::Fft2d, 0, 3, 3},
    {Op::Fft2d, 1, 3, 3},
    {Op::Fft2d, kOutput, 3, 3},
    {Op::Rfft2d, 0, 3, 3},
    {Op::Rfft2d, kOutput, 3, 3},
    {Op::MatMul, 0, 3, 3},
    {Op::MatMul, 1, 3, 3},
    {Op::MatMul, 2, 1, 1},
    {Op::MatMul, 3, 1, 1},
    {Op::MatMul, kOutput, 3, 3},
    {Op::MaxPool2d, 0, 4, 4},
    {Op::MaxPool2d, kOutput, 4, 4},
    {Op::Mul, 2, 1, 1},
    {Op::Table, 1, 1, 1},
    {Op::Negate, 1, 1, 1},
    {Op::Negate, 2, 1, 1},
    {Op::ReduceSum, 0, 1, 6},
    {Op::ReduceSum, kOutput, 2, 2},
    {Op::ReduceAll, kOutput, 2, 2},
    {Op::ReduceMax, 0, 1, 6},
    {Op::Concat, 0, 1, 6},
    {Op::Concat, 1, 2, 2},
    {Op::Concat, kOutput, 2, 2},
    {Op::Pad, 0, 1, 6},
    {Op::Pad, 2, 1, 1},
    {Op::Pad, kOutput, 2, 2},
    {Op::Reverse, 0, 1, 6},
    {Op::Slice, 0, 1, 6},
    {Op::Slice, kOutput, 2, 2},
    {Op::Tile, 0, 1, 6},
    {Op::Tile, kOutput, 2, 2},
    {Op::Transpose, 0, 1, 6},
    {Op::Transpose, kOutput, 2, 2},
    {Op::Gather, 0, 3, 3},
    {Op::Gather, 1, 2, 2},
    {Op::Gather, kOutput, 3, 3},
    {Op::Scatter, 0, 3, 3},
    {Op::Scatter, 1, 2, 2},
    {Op::Scatter, 2, 3, 3},
    {Op::Scatter, kOutput, 3, 3},
    {Op::Resize, 0, 4, 4},
    {Op::Resize, kOutput, 4, 4},
    {Op::Rescale, 1, 1, 1},
    {Op::Rescale, 2, 1, 1},
    {Op::Rescale, 3, 1, 1},
    {Op::Rescale, 4, 1, 1},
    {Op::Sigmoid, 0, 0, 6},
    {Op::Add, 1, 0, 6},
    {Op::Select, 2, 0, 6},
    {Op::Custom, 0, 0, 6},
    {Op::Const, kOutput, 0, 6},
};

TEST_CASE("every operand has the rank that the operator and the level allow") {
    for (const auto& [op, operand, low, high] : kRanks)
        for (const std::size_t rank : {std::size_t{0}, low - 1, high + 1}) {
            if (rank >= low && rank <= high) continue;  // also below 0, which wraps
            if (rank > 32) continue;
            SingleOperator single = valid(op, types_for(op));
            const bool output = operand == kOutput;
            Operand& spoiled = output ? single.out[0] : single.in[operand];
            spoiled.dims = Dims(rank, 1);
            spoiled.data.clear();
            check_refused(
                single,
                std::format("{} {}: '{}' has rank {}, outside {} to {}",
                            output ? "output" : "input", output ? 0 : operand,
                            output ? "out0" : std::string(1, static_cast<char>('a' + operand)),
                            rank, low, high));
        }
}

TEST_CASE("RESIZE's shapes have four and two values") {
    for (const std::size_t input : {1U, 2U, 3U}) {
        SingleOperator single = valid(Op::Resize);
        const std::size_t wanted = input == 1 ? 4 : 2;
        single.in[input].values.push_back(1);
        check_refused(single, std::format("input {}: '{}' has {} values, not {}", input,
                                          static_cast<char>('a' + input), wanted + 1, wanted));
        single.in[input].values.clear();
        check_refused(single, std::format("input {}: '{}' has 0 values, not {}", input,
                                          static_cast<char>('a' + input), wanted));
    }
}

TEST_CASE("compile-time constants are constant, unless the target is dynamic") {
    Target dynamic = kEverything;
    dynamic.extensions |= kExtensionDynamic;
    int constants = 0;
    for (const SingleOperator& good : all_valid())
        for (std::size_t i = 0; i < good.in.size(); ++i) {
            if (good.in[i].from != Operand::From::Constant) continue;
            ++constants;
            SingleOperator variable = good;
            variable.in[i].from = Operand::From::Block;
            check_refused(variable, std::format("input {} '{}' is not a constant", i,
                                                static_cast<char>('a' + i)));
            CHECK(accepted(variable, dynamic));
        }
    CHECK(constants == 2 + 4 * 2 + 2 + 1 + 1 + 2 + 1 + 4);
}

// No operator of TOSA 1.0 makes a shape but CONST_SHAPE: without data it is no constant.
TEST_CASE("shapes that are not known are not checked against anything") {
    Target dynamic = kEverything;
    dynamic.extensions |= kExtensionDynamic;
    for (const Op op : {Op::Pad, Op::Reshape, Op::Slice, Op::Tile, Op::Resize}) {
        SingleOperator single = valid(op);
        for (std::size_t i = 1; i < single.in.size(); ++i) {
            if (single.in[i].from != Operand::From::Shape) continue;
            GraphBuilder graph = single.graph();
            const std::string shape_name(1, static_cast<char>('a' + i));
            std::ranges::find(graph.shapes, Text(shape_name), &ShapeSpec::name)->data.clear();
            // Behind its user, so that the user is what is refused.
            std::ranges::rotate(graph.operators, graph.operators.end() - 1);
            check_refused(graph, GraphError::Kind::Malformed,
                          std::format("operator 0 ({}): input {} '{}' is not a constant", name(op),
                                      i, shape_name));
            const auto built = build_graph(graph.file(), dynamic);
            REQUIRE_FALSE(built.has_value());
            CHECK(built.error().message.contains("(CONST_SHAPE): its output"));
        }
    }
}

}  // namespace
}  // namespace tosa::test
