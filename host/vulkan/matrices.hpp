// SPDX-License-Identifier: MIT
//
// Cooperative matrices (VK_KHR_cooperative_matrix): which of a device's matrices.comp uses, and
// how a workgroup makes a block of outputs with them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <vulkan/vulkan.h>

namespace vulkan {

// A fragment of a product, which a subgroup makes at a time: m x n sums over k.
struct MatrixShape {
    std::uint32_t m = 0, n = 0, k = 0;

    auto operator<=>(const MatrixShape&) const = default;
};

struct MatrixShapes {
    std::optional<MatrixShape> halves;  // of FP16, summed in FP32
    std::optional<MatrixShape> bytes;   // of INT8, summed in INT32

    bool operator==(const MatrixShapes&) const = default;
};

// The largest of each kind that the kernel can lay out.
[[nodiscard]] MatrixShapes choose_matrices(
    std::span<const VkCooperativeMatrixPropertiesKHR> offered);

// Fragments by each subgroup of a workgroup, and subgroups, down and across a block.
struct MatrixBlock {
    std::uint32_t edge = 0;
    std::uint32_t down = 0, across = 0;
    std::uint32_t subgroups_down = 0, subgroups_across = 0;

    auto operator<=>(const MatrixBlock&) const = default;
};

// What a workgroup has to work with.
struct MatrixGroup {
    std::uint32_t invocations = 0;
    std::uint32_t subgroup = 0;  // invocations of each
    std::uint32_t shared_bytes = 0;
};

// None: the block cannot be shared out evenly, or takes more registers or shared memory than
// there are.
[[nodiscard]] std::optional<MatrixBlock> lay_out(const MatrixShape& shape, const MatrixGroup& group,
                                                 std::uint32_t edge);

}  // namespace vulkan
