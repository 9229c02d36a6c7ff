// SPDX-License-Identifier: MIT
//
// What MATMUL and the convolutions have in common.
#pragma once

#include "vulkan/lowerer.hpp"

namespace vulkan {

// The lhs of a product, where it is the patches of an image (gemm.comp).
struct Gather {
    std::uint32_t height = 1, width = 1, channels = 1;
    std::uint32_t out_height = 1, out_width = 1;
    std::uint32_t kernel_width = 1;
    std::uint32_t stride_y = 1, stride_x = 1;
    std::uint32_t dilation_y = 1, dilation_x = 1;
    std::uint32_t pad_top = 0, pad_left = 0;
};

// [batch, m, k] by [batch, k, n], which is [batch, n, k] if transposed.
struct Product {
    TensorId lhs = kNoTensor, rhs = kNoTensor;  // of one type
    std::uint32_t batch = 1, m = 1, k = 1, n = 1;
    std::int32_t lhs_zero = 0, rhs_zero = 0;
    bool transposed = false;
    std::optional<Gather> gather{};
    std::optional<tosa::ValueId> bias{};  // of a column, or one for all
};

// Whether kernels multiply such elements, to such a result.
[[nodiscard]] bool can_multiply(std::uint32_t lhs, std::uint32_t rhs, std::uint32_t result);

// The steps that make `result`.
[[nodiscard]] Result<void> add_product(Lowerer& to, const Product& product, tosa::ValueId result);

// The rows of lower_convolution.cpp, beside MATMUL's.
[[nodiscard]] Result<void> add_conv2d(Lowerer& to, const tosa::Operator& op);

}  // namespace vulkan
