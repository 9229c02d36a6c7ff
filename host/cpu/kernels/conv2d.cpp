// SPDX-License-Identifier: MIT
#include "cpu/kernels/image_rows.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/window_of.hpp"
#include "cpu/memory.hpp"

namespace cpu {
namespace {

// The product of what each output pixel sees and the weights, which are [OC,KH,KW,IC]: the
// columns of the right operand, one after another.
class Conv2d final : public Kernel {
 public:
    Conv2d(const Gemm& gemm, const GemmShape& shape, const Window& window, Element in,
           std::uint64_t bias_count, std::span<const std::byte> weights)
        : Kernel(gemm.units(), gemm.unit_cost()),
          gemm_(gemm),
          shape_(shape),
          window_(window),
          in_(in),
          bias_count_(bias_count) {
        if (!gemm_.packed_ahead()) return;
        packed_ = Memory(gemm_.packed_bytes(), kCacheLine);
        gemm_.pack({weights.data(), 1, shape_.k}, packed_.data());
    }

    [[nodiscard]] std::uint64_t scratch_bytes() const override { return gemm_.scratch_bytes(); }
    [[nodiscard]] std::uint64_t kept_bytes() const override {
        return packed_.data() == nullptr ? 0 : gemm_.packed_bytes();
    }

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        const bool integer = in_ == Element::Int8;
        const std::int32_t in_zero = integer ? *operands.input<std::int8_t>(3) : 0;
        gemm_.run({.left = ImageRows(operands.input<std::byte>(0), in_, window_, in_zero),
                   .right = {operands.input<std::byte>(1), 1, shape_.k},
                   .packed = packed_.data(),
                   .out = operands.output<std::byte>(0),
                   .bias = operands.input<std::byte>(2),
                   .bias_count = bias_count_,
                   .left_zero = in_zero,
                   .right_zero = integer ? *operands.input<std::int8_t>(4) : 0},
                  first, last, operands.scratch);
    }

 private:
    Gemm gemm_;
    GemmShape shape_;
    Window window_;
    Element in_;
    std::uint64_t bias_count_;
    Memory packed_;  // the weights, if they are constant
};

}  // namespace

std::unique_ptr<Kernel> make_conv2d(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::Value& weights = input(graph, op, 1);
    const tosa::Value& out = output(graph, op);
    const auto in = element_of(input(graph, op, 0).type);
    if (!in || !computes(*in) || weights.type != input(graph, op, 0).type) return nullptr;
    const auto& attribute = *op.serialized->attribute_as_Conv2dAttribute();
    const Window window = window_of(input(graph, op, 0), out, attribute, weights.dims[1],
                                    weights.dims[2], attribute.dilation());
    const auto channels = static_cast<std::uint64_t>(out.dims[3]);
    const GemmShape shape{1, out.elements / channels, weights.elements / channels, channels};
    const auto contents = constant_contents(weights);
    return make<Conv2d>(
        Gemm(shape, *in, element_of(out.type).value_or(Element::Fp32), contents.size()), shape,
        window, *in, input(graph, op, 2).elements, contents);
}

}  // namespace cpu
