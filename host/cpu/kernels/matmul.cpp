// SPDX-License-Identifier: MIT
#include "cpu/kernels/gemm.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/memory.hpp"

namespace cpu {
namespace {

class MatMul final : public Kernel {
 public:
    MatMul(const Gemm& gemm, const GemmShape& shape, Element in, std::span<const std::byte> right)
        : Kernel(gemm.units(), gemm.unit_cost()), gemm_(gemm), shape_(shape), in_(in) {
        if (!gemm_.packed_ahead()) return;
        packed_ = Memory(gemm_.packed_bytes(), kCacheLine);
        gemm_.pack({right.data(), shape_.n, 1}, packed_.data());
    }

    [[nodiscard]] std::uint64_t scratch_bytes() const override { return gemm_.scratch_bytes(); }
    [[nodiscard]] std::uint64_t kept_bytes() const override {
        return packed_.data() == nullptr ? 0 : gemm_.packed_bytes();
    }

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        const bool integer = in_ == Element::Int8;
        gemm_.run({.left = GemmRows(operands.input<std::byte>(0), in_, shape_.k),
                   .right = {operands.input<std::byte>(1), shape_.n, 1},
                   .packed = packed_.data(),
                   .out = operands.output<std::byte>(0),
                   .bias = nullptr,
                   .bias_count = 0,
                   .left_zero = integer ? *operands.input<std::int8_t>(2) : 0,
                   .right_zero = integer ? *operands.input<std::int8_t>(3) : 0},
                  first, last, operands.scratch);
    }

 private:
    Gemm gemm_;
    GemmShape shape_;
    Element in_;
    Memory packed_;  // the right operand, if it is a constant
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::Value& a = input(graph, op, 0);
    const tosa::Value& b = input(graph, op, 1);
    const auto in = element_of(a.type);
    if (!in || !computes(*in)) return nullptr;
    const auto out = element_of(output(graph, op).type).value_or(Element::Fp32);
    const auto extent = [](const tosa::Value& value, std::size_t axis) {
        return static_cast<std::uint64_t>(value.dims[axis]);
    };
    const GemmShape shape{extent(a, 0), extent(a, 1), extent(a, 2), extent(b, 2)};
    const auto contents = constant_contents(b);
    return make<MatMul>(Gemm(shape, *in, out, contents.size()), shape, *in, contents);
}

}  // namespace cpu
