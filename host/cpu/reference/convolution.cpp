// SPDX-License-Identifier: MIT
#include "cpu/reference/attribute.hpp"
#include "cpu/reference/dot.hpp"
#include "cpu/reference/rows.hpp"
#include "cpu/reference/window.hpp"

namespace cpu::reference {
namespace {

// Operands of every convolution (TOSA CONV2D, CONV3D, DEPTHWISE_CONV2D, TRANSPOSE_CONV2D).
enum : std::size_t { kInput, kWeight, kBias, kInputZero, kWeightZero };

// The window of an operator whose weights have their spatial axes from `first_axis` on.
template <class Attribute>
Window convolution_window(const Call& call, const Attribute& attribute, std::size_t first_axis) {
    const Type& weight = call.inputs[kWeight].is;
    return make_window(call.inputs[kInput].is, call.outputs[0].is,
                       {.kernel = weight.dims.subspan(first_axis),
                        .pad = list(attribute.pad()),
                        .stride = list(attribute.stride()),
                        .dilation = list(attribute.dilation())});
}

Window conv2d_window(const Call& call) {
    return convolution_window(call, *call.op.attribute_as_Conv2dAttribute(), 1);
}

Window conv3d_window(const Call& call) {
    return convolution_window(call, *call.op.attribute_as_Conv3dAttribute(), 1);
}

Window depthwise_window(const Call& call) {
    return convolution_window(call, *call.op.attribute_as_DepthwiseConv2dAttribute(), 0);
}

Window transposed_window(const Call& call) {
    const auto& attribute = *call.op.attribute_as_TransposeConv2dAttribute();
    return make_window(call.inputs[kInput].is, call.outputs[0].is,
                       {.kernel = call.inputs[kWeight].is.dims.subspan(1),
                        .pad = list(attribute.out_pad()),
                        .stride = list(attribute.stride())});
}

DotProduct start(const Call& call) {
    return {call.inputs[kInput], call.inputs[kInputZero], call.inputs[kWeight],
            call.inputs[kWeightZero]};
}

void finish(const Call& call, DotProduct dot, std::uint64_t element, std::uint64_t channel) {
    const Input& bias = call.inputs[kBias];
    dot.add_bias(bias, bias.is.elements == 1 ? 0 : channel);
    dot.put(call.outputs[0], element);
}

// Weights [OC, spatial axes, IC].
template <Window window_of(const Call&), Source source>
void convolve(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Window window = window_of(call);
    const auto in_channels = static_cast<std::uint64_t>(call.inputs[kInput].is.dims.back());
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t channel = i % static_cast<std::uint64_t>(window.channels);
        DotProduct dot = start(call);
        for_each_tap(window, i, source, [&](std::uint64_t pixel, std::uint64_t tap) {
            const std::uint64_t weights = channel * window.taps() + tap;
            for (std::uint64_t c = 0; c < in_channels; ++c)
                dot.add(pixel * in_channels + c, weights * in_channels + c);
        });
        finish(call, dot, i, channel);
    }
}

// Weights [KH, KW, C, M]: output channel c * M + m is input channel c with its weights m.
void convolve_depthwise(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Window window = depthwise_window(call);
    const std::uint64_t in_channels = call.inputs[kWeight].is.extent(2);
    const std::uint64_t multiplier = call.inputs[kWeight].is.extent(3);
    const std::uint64_t out_channels = in_channels * multiplier;
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t channel = i % out_channels;
        DotProduct dot = start(call);
        for_each_tap(window, i, &WindowAxis::source, [&](std::uint64_t pixel, std::uint64_t tap) {
            dot.add(pixel * in_channels + channel / multiplier, tap * out_channels + channel);
        });
        finish(call, dot, i, channel);
    }
}

// Products of one output element.
std::uint64_t dense_cost(const Call& call) {
    const Type& weight = call.inputs[kWeight].is;
    return weight.elements / weight.extent(0) * kProductCost;
}

std::uint64_t depthwise_cost(const Call& call) {
    return depthwise_window(call).taps() * kProductCost;
}

constexpr Row kRows[] = {
    {tosa::Op::Conv2d, convolve<conv2d_window, &WindowAxis::source>, dense_cost},
    {tosa::Op::Conv3d, convolve<conv3d_window, &WindowAxis::source>, dense_cost},
    {tosa::Op::DepthwiseConv2d, convolve_depthwise, depthwise_cost},
    {tosa::Op::TransposeConv2d, convolve<transposed_window, &WindowAxis::transposed_source>,
     dense_cost},
};

}  // namespace

std::span<const Row> convolution_rows() {
    return kRows;
}

}  // namespace cpu::reference
