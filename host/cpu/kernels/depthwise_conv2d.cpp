// SPDX-License-Identifier: MIT
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/window_isa.hpp"
#include "cpu/kernels/window_of.hpp"
#include "cpu/memory.hpp"
#include "tosa/number.hpp"

namespace cpu {
namespace {

// Weights are [KH,KW,C,1].
class DepthwiseConv2d final : public Kernel {
 public:
    DepthwiseConv2d(const Window& window, LinesFunction lines, const tosa::Value& in,
                    const tosa::Value& weights, std::int32_t weight_zero, const tosa::Value& bias)
        : Kernel(window.units(), static_cast<std::uint64_t>(Window::kUnitLines * window.x.out) *
                                         weights.elements / 8 +
                                     1),
          window_(window),
          lines_(lines),
          integer_(in.type == tosa::DType::Int8),
          one_bias_(bias.elements == 1),
          in_bytes_(in.bytes / static_cast<std::uint64_t>(window.batch)),
          out_bytes_(static_cast<std::uint64_t>(window.y.out * window.x.out * window.channels) *
                     (integer_ ? 4 : in.bytes / in.elements)),
          weight_bytes_(weights.elements * sizeof(float)),
          weights_(weight_bytes_, kCacheLine) {
        for (std::uint64_t i = 0; i < weights.elements; ++i)
            if (integer_)
                reinterpret_cast<std::int32_t*>(weights_.data())[i] =
                    static_cast<std::int32_t>(
                        tosa::read_integer(weights.type, weights.data.data(), i)) -
                    weight_zero;
            else
                reinterpret_cast<float*>(weights_.data())[i] =
                    static_cast<float>(tosa::read_float(weights.type, weights.data.data(), i));
    }

    [[nodiscard]] std::uint64_t kept_bytes() const override { return weight_bytes_; }

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        window_.for_each_image(first, last, [&](std::uint64_t image, auto from, auto to) {
            lines_({.window = &window_,
                    .first = from,
                    .last = to,
                    .in = operands.input<std::byte>(0) + image * in_bytes_,
                    .out = operands.output<std::byte>(0) + image * out_bytes_,
                    .weights = weights_.data(),
                    .bias = operands.input<std::byte>(2),
                    .one_bias = one_bias_,
                    .in_zero = integer_ ? *operands.input<std::int8_t>(3) : 0});
        });
    }

 private:
    Window window_;
    LinesFunction lines_;
    bool integer_;
    bool one_bias_;
    std::uint64_t in_bytes_;
    std::uint64_t out_bytes_;
    std::uint64_t weight_bytes_;
    Memory weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_depthwise_conv2d(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::Value& in = input(graph, op, 0);
    const tosa::Value& weights = input(graph, op, 1);
    const tosa::Value& weight_zero = input(graph, op, 4);
    const LinesFunction lines = window_isa().depthwise(in.type);
    // Weights that are not constant, or many for a channel, are rare.
    if (lines == nullptr || weights.type != in.type || !weights.constant() ||
        weights.dims[3] != 1 || !weight_zero.constant())
        return nullptr;
    const auto& attribute = *op.serialized->attribute_as_DepthwiseConv2dAttribute();
    const bool integer = in.type == tosa::DType::Int8;
    const std::int64_t zero =
        integer ? tosa::read_integer(weight_zero.type, weight_zero.data.data(), 0) : 0;
    return make<DepthwiseConv2d>(window_of(in, output(graph, op), attribute, weights.dims[0],
                                           weights.dims[1], attribute.dilation()),
                                 lines, in, weights, static_cast<std::int32_t>(zero),
                                 input(graph, op, 2));
}

}  // namespace cpu
