// SPDX-License-Identifier: MIT
//
// Convolutions and pooling: windows that lie partly in padding, that step and that have gaps.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

constexpr std::int8_t kInputPoint = 5;
constexpr std::int8_t kOtherPoint = -7;

Tensor zero_point(DType type, std::int8_t point) {
    return tensor(type, {1}, {type == DType::Int8 ? point * 1.0 : 0.0});
}

struct Convolution {
    const char* name;
    Op op;
    Dims in, weights, out;
    Dims pad, stride, dilation;
    std::int32_t biases;  // one, or one for each channel
};

const Convolution kConvolutions[] = {
    {"conv2d",
     Op::Conv2d,
     {1, 5, 6, 3},
     {4, 3, 3, 3},
     {1, 5, 6, 4},
     {1, 1, 1, 1},
     {1, 1},
     {1, 1},
     4},
    {"conv2d-strided",
     Op::Conv2d,
     {2, 7, 8, 2},
     {5, 3, 2, 2},
     {2, 3, 3, 5},
     {2, 0, 0, 2},
     {2, 3},
     {2, 3},
     1},
    {"conv2d-pointwise",
     Op::Conv2d,
     {1, 3, 3, 5},
     {7, 1, 1, 5},
     {1, 3, 3, 7},
     {0, 0, 0, 0},
     {1, 1},
     {1, 1},
     7},
    {"conv3d",
     Op::Conv3d,
     {1, 4, 5, 3, 2},
     {3, 3, 2, 3, 2},
     {1, 3, 5, 4, 3},
     {1, 0, 1, 0, 1, 2},
     {1, 1, 1},
     {1, 1, 1},
     3},
    {"depthwise-conv2d",
     Op::DepthwiseConv2d,
     {1, 5, 5, 3},
     {3, 3, 3, 1},
     {1, 5, 5, 3},
     {1, 1, 1, 1},
     {1, 1},
     {1, 1},
     3},
    {"depthwise-conv2d-multiplied",
     Op::DepthwiseConv2d,
     {1, 5, 5, 3},
     {3, 3, 3, 2},
     {1, 3, 3, 6},
     {1, 1, 1, 1},
     {2, 2},
     {1, 1},
     6},
    {"depthwise-conv2d-dilated",
     Op::DepthwiseConv2d,
     {1, 6, 7, 2},
     {2, 3, 2, 2},
     {1, 4, 5, 4},
     {1, 0, 0, 2},
     {1, 1},
     {3, 2},
     1},
};

void add_convolution(std::vector<Case>& cases, const Convolution& each, const std::string& suffix,
                     DType type, DType acc, const tosa::Target& target) {
    const DType sum = type == DType::Int8 ? DType::Int32 : type;
    cases.push_back(Recipe(each.name + suffix, target)
                        .input(pattern(type, each.in, 2))
                        .constant(pattern(type, each.weights, 5))
                        .constant(pattern(sum, {each.biases}, 3))
                        .constant(zero_point(type, kInputPoint))
                        .constant(zero_point(type, kOtherPoint))
                        .output(each.op, computed(sum, each.out), kExact,
                                attribute(each.op, {.stride = each.stride,
                                                    .pad = each.pad,
                                                    .dilation = each.dilation,
                                                    .acc_type = acc})));
}

// Of steps that leave gaps between the windows, and out_pad of either sign.
void add_transpose_convolution(std::vector<Case>& cases, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    const DType sum = type == DType::Int8 ? DType::Int32 : type;
    cases.push_back(
        Recipe(std::string("transpose-conv2d") + suffix, target)
            .input(pattern(type, {1, 3, 4, 3}, 2))
            .constant(pattern(type, {2, 3, 2, 3}, 5))
            .constant(pattern(sum, {2}, 3))
            .constant(zero_point(type, kInputPoint))
            .constant(zero_point(type, kOtherPoint))
            .output(Op::TransposeConv2d, computed(sum, {1, 7, 11, 2}), kExact,
                    attribute(Op::TransposeConv2d,
                              {.stride = Dims{2, 3},
                               .out_pad = Dims{-1, 1, 0, 0},
                               .acc_type = type == DType::Int8 ? DType::Int32 : DType::Fp32})));
}

struct Pool {
    const char* name;
    Dims in, out;
    Dims kernel, stride, pad;
};

const Pool kPools[] = {
    {"padded", {1, 5, 5, 3}, {1, 3, 3, 3}, {3, 3}, {2, 2}, {1, 1, 1, 1}},
    {"uneven", {2, 4, 5, 3}, {2, 4, 3, 3}, {2, 3}, {1, 2}, {1, 0, 1, 1}},
};

void add_pools(std::vector<Case>& cases, const Pool& each, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    const auto fields = [&](DType acc) {
        return tosa::test::Fields{
            .kernel = each.kernel, .stride = each.stride, .pad = each.pad, .acc_type = acc};
    };
    cases.push_back(Recipe(std::string("max-pool2d-") + each.name + suffix, target)
                        .input(pattern(type, each.in, 2))
                        .output(Op::MaxPool2d, computed(type, each.out), kExact,
                                attribute(Op::MaxPool2d, fields(DType::Unknown))));
    // The sums are exact, but who divides may multiply with a reciprocal.
    const bool exact = type == DType::Int8;
    cases.push_back(
        Recipe(std::string("avg-pool2d-") + each.name + suffix, target)
            .input(pattern(type, each.in, 2))
            .constant(zero_point(type, kInputPoint))
            .constant(zero_point(type, kOtherPoint))
            .output(Op::AvgPool2d, computed(type, each.out), exact ? kExact : ulp(2),
                    attribute(Op::AvgPool2d, fields(exact ? DType::Int32 : DType::Fp32))));
}

}  // namespace

void add_window_cases(std::vector<Case>& cases) {
    for (const Convolution& each : kConvolutions) {
        add_convolution(cases, each, "-fp32", DType::Fp32, DType::Fp32, kFloat);
        add_convolution(cases, each, "-fp16", DType::Fp16, DType::Fp32, kFloat);
        add_convolution(cases, each, "-fp16-acc16", DType::Fp16, DType::Fp16, kFloat);
        add_convolution(cases, each, "-int8", DType::Int8, DType::Int32, kInteger);
    }
    for (const Kind& kind : kKinds) {
        add_transpose_convolution(cases, kind);
        for (const Pool& each : kPools)
            add_pools(cases, each, kind);
    }
}

}  // namespace corpus
