// SPDX-License-Identifier: MIT
//
// Convolutions with constant weights: 3x3, 1x1 and depthwise 3x3, with the padding that
// keeps the size.
#include <format>

#include "bench/vulkan/graph.hpp"

namespace vulkan::bench {
namespace {

using enum tosa::DType;

struct Kind {
    DType in;
    DType out;
    DType accumulator;
    tosa::Target target;
};
constexpr Kind kKinds[] = {
    {Fp32, Fp32, Fp32, tosa::kFloatTarget},
    {Fp16, Fp16, Fp32, tosa::kFloatTarget},
    {Int8, Int32, Int32, {.profiles = tosa::kProfileInteger}},
};

struct Layer {
    std::int32_t size;  // of the square image
    std::int32_t in, out;
    std::int32_t kernel;
    bool depthwise;
};

Case convolution(const Kind& kind, const Layer& layer) {
    const Op op = layer.depthwise ? Op::DepthwiseConv2d : Op::Conv2d;
    const Dims weights = layer.depthwise ? Dims{layer.kernel, layer.kernel, layer.in, 1}
                                         : Dims{layer.out, layer.kernel, layer.kernel, layer.in};
    const std::int32_t pad = layer.kernel / 2;
    tosa::test::Fields fields{.stride = Dims{1, 1},
                              .pad = Dims{pad, pad, pad, pad},
                              .dilation = Dims{1, 1},
                              .acc_type = kind.accumulator};
    Case made =
        Graph(kind.target)
            .input(kind.in, {1, layer.size, layer.size, layer.in})
            .constant("weights", random_tensor(kind.in, weights, 7))
            .constant("bias", zero_tensor(kind.out, {layer.out}))
            .constant("zero", no_zero_point(kind.in))
            .constant("zero too", no_zero_point(kind.in))
            .output(op, {"in0", "weights", "bias", "zero", "zero too"}, kind.out,
                    {1, layer.size, layer.size, layer.out}, tosa::test::attribute(op, fields));
    made.operations = 2.0 * layer.size * layer.size * layer.out * layer.kernel * layer.kernel *
                      (layer.depthwise ? 1 : layer.in);
    return made;
}

}  // namespace

std::vector<Recipe> convolution_recipes() {
    constexpr Layer kLayers[] = {
        {56, 64, 64, 3, false}, {56, 64, 128, 1, false}, {112, 32, 32, 3, true}};
    std::vector<Recipe> all;
    for (const Layer& layer : kLayers)
        for (const Kind& kind : kKinds)
            all.push_back({std::format("{} {} {}x{}, {}x{}x{} to {}",
                                       layer.depthwise ? "DEPTHWISE_CONV2D" : "CONV2D",
                                       tosa::name(kind.in), layer.kernel, layer.kernel, layer.size,
                                       layer.size, layer.in, layer.out),
                           [=] { return convolution(kind, layer); }});
    return all;
}

}  // namespace vulkan::bench
