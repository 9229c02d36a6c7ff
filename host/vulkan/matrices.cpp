// SPDX-License-Identifier: MIT
#include "vulkan/matrices.hpp"

#include <algorithm>

namespace vulkan {
namespace {

// As matrices.comp has them, in bytes: a line along k, one along n with the vector that comes
// after it, and the narrowest row of each kind of fragment.
constexpr std::uint32_t kLine = 64, kVector = 16;
constexpr std::uint32_t kHalfUnit = 16, kByteUnit = 8;

// Sums that an invocation keeps in registers.
constexpr std::uint32_t kMostSums = 64;

// A kind of element.
struct Kind {
    VkComponentTypeKHR element, sum;
    std::uint32_t size, unit;  // in bytes
};
constexpr Kind kHalf{VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR, 2, kHalfUnit};
constexpr Kind kByte{VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR, 1, kByteUnit};

// Extents come from a driver: bounded first, so that products of them fit.
bool usable(const VkCooperativeMatrixPropertiesKHR& offered, const Kind& kind) {
    const auto fits = [](std::uint32_t extent) { return extent >= 1 && extent <= kLine; };
    return offered.scope == VK_SCOPE_SUBGROUP_KHR && offered.AType == kind.element &&
           offered.BType == kind.element && offered.CType == kind.sum &&
           offered.ResultType == kind.sum && !offered.saturatingAccumulation &&
           fits(offered.MSize) && fits(offered.NSize) && fits(offered.KSize) &&
           kLine % (offered.KSize * kind.size) == 0 && offered.KSize * kind.size % kind.unit == 0 &&
           offered.NSize * kind.size % kind.unit == 0;
}

std::optional<MatrixShape> largest(std::span<const VkCooperativeMatrixPropertiesKHR> offered,
                                   const Kind& kind) {
    std::optional<MatrixShape> best;
    for (const auto& each : offered)
        if (usable(each, kind) &&
            (!best || each.MSize * each.NSize * each.KSize > best->m * best->n * best->k))
            best = {each.MSize, each.NSize, each.KSize};
    return best;
}

std::uint32_t shared_bytes(const MatrixShape& shape, std::uint32_t subgroups, std::uint32_t edge) {
    const std::uint32_t origins = edge * kVector;
    const std::uint32_t along_k = edge * (kLine + kVector);
    // Of INT8, which has most lines along n.
    const std::uint32_t along_n = kLine * (edge + kVector);
    const std::uint32_t sums = subgroups * shape.m * shape.n * 4;
    return origins + std::max(along_k + std::max(along_k, along_n), sums);
}

}  // namespace

MatrixShapes choose_matrices(std::span<const VkCooperativeMatrixPropertiesKHR> offered) {
    return {largest(offered, kHalf), largest(offered, kByte)};
}

// Of the ways to share it out, the one that loads the fewest fragments.
std::optional<MatrixBlock> lay_out(const MatrixShape& shape, const MatrixGroup& group,
                                   std::uint32_t edge) {
    if (group.subgroup == 0 || group.invocations % group.subgroup != 0) return std::nullopt;
    const std::uint32_t subgroups = group.invocations / group.subgroup;
    if (edge % shape.m != 0 || edge % shape.n != 0 || edge * edge > kMostSums * group.invocations ||
        shared_bytes(shape, subgroups, edge) > group.shared_bytes)
        return std::nullopt;
    const std::uint32_t rows = edge / shape.m, columns = edge / shape.n;
    std::optional<MatrixBlock> best;
    for (std::uint32_t down = 1; down <= subgroups; ++down) {
        const std::uint32_t across = subgroups / down;
        if (subgroups % down != 0 || rows % down != 0 || columns % across != 0) continue;
        const MatrixBlock block{edge, rows / down, columns / across, down, across};
        if (!best || block.down + block.across < best->down + best->across) best = block;
    }
    return best;
}

}  // namespace vulkan
