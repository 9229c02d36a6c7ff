// SPDX-License-Identifier: MIT
#include <algorithm>

#include "vulkan/product.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

// Operands of every convolution.
enum : std::size_t { kInput, kWeight, kBias, kInputZero, kWeightZero };

// Whether the patch of each pixel is the pixel itself: then the image is the lhs as it lies.
bool is_plain(const Gather& gather, std::uint32_t taps) {
    return taps == 1 && gather.stride_y == 1 && gather.stride_x == 1 &&
           gather.height == gather.out_height && gather.width == gather.out_width;
}

// A constant of zero bytes adds nothing, in any type.
bool adds_nothing(const tosa::Value& bias) {
    return bias.constant() &&
           std::ranges::all_of(bias.data, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

// TOSA CONV2D: input [N, H, W, IC], weights [OC, KH, KW, IC], output [N, OH, OW, OC]. Sums are
// in 32 bits, which is no less than any acc_type that goes with these types.
Result<void> add_conv2d(Lowerer& to, const tosa::Operator& op) {
    const ValueId input = op.inputs[kInput], weight = op.inputs[kWeight], bias = op.inputs[kBias];
    const ValueId result = op.outputs[0];
    const ValueId tensors[] = {input, weight, bias, result};
    if (auto fits = to.check(tensors); !fits) return fits;
    if (to.type(bias) != to.type(result)) return std::unexpected(ErrorKind::Unsupported);
    const auto input_zero = zero_point(to, op, kInputZero);
    const auto weight_zero = zero_point(to, op, kWeightZero);
    if (!input_zero) return std::unexpected(input_zero.error());
    if (!weight_zero) return std::unexpected(weight_zero.error());

    const auto* attribute = op.serialized->attribute_as_Conv2dAttribute();
    const auto at = [](const flatbuffers::Vector<std::int32_t>& list, flatbuffers::uoffset_t i) {
        return static_cast<std::uint32_t>(list.Get(i));
    };
    const Gather gather{.height = to.extent(input, 1),
                        .width = to.extent(input, 2),
                        .channels = to.extent(input, 3),
                        .out_height = to.extent(result, 1),
                        .out_width = to.extent(result, 2),
                        .kernel_width = to.extent(weight, 2),
                        .stride_y = at(*attribute->stride(), 0),
                        .stride_x = at(*attribute->stride(), 1),
                        .dilation_y = at(*attribute->dilation(), 0),
                        .dilation_x = at(*attribute->dilation(), 1),
                        .pad_top = at(*attribute->pad(), 0),
                        .pad_left = at(*attribute->pad(), 2)};
    const std::uint32_t taps = to.extent(weight, 1) * to.extent(weight, 2);
    Product product{.lhs = input,
                    .rhs = weight,
                    .m = to.extent(result, 0) * gather.out_height * gather.out_width,
                    .k = taps * gather.channels,
                    .n = to.extent(weight, 0),
                    .lhs_zero = *input_zero,
                    .rhs_zero = *weight_zero,
                    .transposed = true};
    if (!is_plain(gather, taps)) product.gather = gather;
    if (!adds_nothing(to.value(bias))) product.bias = bias;
    return add_product(to, product, result);
}

}  // namespace vulkan
