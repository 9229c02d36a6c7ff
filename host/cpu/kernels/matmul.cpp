// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cpu/kernels/kernels.hpp"

namespace cpu {
namespace {

// [batch,m,k] by [batch,k,n] gives [batch,m,n]. A unit is a row of the output. Each
// element is summed over k in ascending order in FP32, which keeps it within the
// error bound of providers.md 2.2 whatever the blocking.
class MatMul final : public Kernel {
 public:
    MatMul(std::uint64_t batch, std::uint64_t m, std::uint64_t k, std::uint64_t n)
        : Kernel(batch * m, k * n), m_(m), k_(k), n_(n) {}

    void run(const Operands& operands, std::uint64_t first, std::uint64_t last) const override {
        const float* a = operands.input<float>(0);
        const float* b = operands.input<float>(1);
        float* out = operands.output<float>(0);
        std::fill(out + first * n_, out + last * n_, 0.0F);
        // A block of b's rows stays in the cache while every row of the slice uses it.
        for (std::uint64_t block = 0; block < k_; block += kBlock)
            for (std::uint64_t row = first; row < last; ++row)
                accumulate(a + row * k_, b + row / m_ * k_ * n_, out + row * n_, block,
                           std::min(block + kBlock, k_));
    }

 private:
    static constexpr std::uint64_t kBlock = 64;

    void accumulate(const float* a_row, const float* b, float* out_row, std::uint64_t k_first,
                    std::uint64_t k_last) const {
        for (std::uint64_t k = k_first; k < k_last; ++k) {
            const float scale = a_row[k];
            const float* b_row = b + k * n_;
            for (std::uint64_t n = 0; n < n_; ++n)
                out_row[n] += scale * b_row[n];
        }
    }

    std::uint64_t m_;
    std::uint64_t k_;
    std::uint64_t n_;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(const tosa::Graph& graph, const tosa::Operator& op) {
    const tosa::Value& a = input(graph, op, 0);
    const tosa::Value& b = input(graph, op, 1);
    if (a.type != tosa::DType::Fp32) return nullptr;
    const auto extent = [](const tosa::Value& value, std::size_t axis) {
        return static_cast<std::uint64_t>(value.dims[axis]);
    };
    return make<MatMul>(extent(a, 0), extent(a, 1), extent(a, 2), extent(b, 2));
}

}  // namespace cpu
