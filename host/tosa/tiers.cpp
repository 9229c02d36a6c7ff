// SPDX-License-Identifier: MIT
#include "tosa/tiers.hpp"

#include <array>
#include <iterator>

#include "tosa/limits.hpp"

namespace tosa {
namespace {

using enum DType;

// Of the CPU provider: all types in all roles, all operators as they are. The condition of
// CUSTOM cannot come up, nor can constants that are not in the file.
constexpr TypeCapability kEveryType[] = {
    {Bool, kRoleAll},  {Int4, kRoleAll},    {Int8, kRoleAll},    {Int16, kRoleAll},
    {Int32, kRoleAll}, {Int48, kRoleAll},   {Fp32, kRoleAll},    {Fp16, kRoleAll},
    {Bf16, kRoleAll},  {Fp8E4M3, kRoleAll}, {Fp8E5M2, kRoleAll},
};

constexpr auto kEveryOperator = [] {
    std::array<OperatorCapability, kLastStableOp - 1> rows{};
    std::uint32_t op = 1;
    for (OperatorCapability& row : rows) {
        row.op = static_cast<Op>(op == static_cast<std::uint32_t>(Op::Custom) ? ++op : op);
        ++op;
    }
    return rows;
}();
static_assert(kEveryOperator.back().op == Op::ConstShape);

constexpr Descriptor kCpu{
    .target = kEveryTarget,
    .types = kEveryType,
    .operators = kEveryOperator,
    .envelope = {.max_regions = Limits{}.regions,
                 .max_blocks = Limits{}.blocks,
                 .dynamic_shapes = false,
                 .conditions = kConditionBit<ShiftInRange> | kConditionBit<NonZero> |
                               kConditionBit<Int32MultiplyInRange> | kConditionBit<PowDomain> |
                               kConditionBit<IndicesInRange> | kConditionBit<ScatterIndicesUnique> |
                               kConditionBit<VariableState>},
};

constexpr TypeCapability kVulkanFloatTypes[] = {
    {Fp32, kRoleAll},
    {Fp16, kRoleAll},
    {Bool, kRoleAll},
    {Int32, kRoleAll},
    {Int8, kRoleConstant, true},  // shift of MUL
};

constexpr OperatorCapability kVulkanFloatOperators[] = {
    {Op::Argmax},
    {Op::AvgPool2d, kConstantParameters | kZeroZeroPoints},
    {Op::Conv2d, kConstantParameters | kZeroZeroPoints},
    {Op::DepthwiseConv2d, kConstantParameters | kZeroZeroPoints},
    {Op::MatMul, kConstantParameters | kZeroZeroPoints},
    {Op::MaxPool2d},
    {Op::Clamp},
    {Op::Erf},
    {Op::Sigmoid},
    {Op::Tanh},
    {Op::Add},
    {Op::LogicalAnd},
    {Op::LogicalOr},
    {Op::LogicalXor},
    {Op::Maximum},
    {Op::Minimum},
    {Op::Mul, kConstantParameters | kZeroShift},
    {Op::Pow},
    {Op::Sub},
    {Op::Abs},
    {Op::Ceil},
    {Op::Cos},
    {Op::Exp},
    {Op::Floor},
    {Op::Log},
    {Op::LogicalNot},
    {Op::Negate, kConstantParameters | kZeroZeroPoints},
    {Op::Reciprocal},
    {Op::Rsqrt},
    {Op::Sin},
    {Op::Select},
    {Op::Equal},
    {Op::Greater},
    {Op::GreaterEqual},
    {Op::ReduceAll},
    {Op::ReduceAny},
    {Op::ReduceMax},
    {Op::ReduceMin},
    {Op::ReduceProduct},
    {Op::ReduceSum},
    {Op::Concat},
    {Op::Pad, kConstantParameters},
    {Op::Reshape, kConstantParameters},
    {Op::Reverse},
    {Op::Slice, kConstantParameters},
    {Op::Tile, kConstantParameters},
    {Op::Transpose},
    {Op::Gather},
    {Op::Resize, kConstantParameters},
    {Op::Cast},
    {Op::Const},
    {Op::Identity},
    {Op::ConstShape},
};

constexpr TypeCapability kVulkanFp8Types[] = {
    {Fp8E4M3, kRoleAll},
    {Fp8E5M2, kRoleAll},
    {Fp32, kRoleAll},
    {Fp16, kRoleAll},
    {Int32, kRoleOutput | kRoleIntermediate},  // result of ARGMAX
};

constexpr OperatorCapability kVulkanFp8Operators[] = {
    {Op::Argmax},
    {Op::MatMul, kConstantParameters | kZeroZeroPoints},
    {Op::MaxPool2d},
    {Op::Concat},
    {Op::Reshape, kConstantParameters},
    {Op::Reverse},
    {Op::Transpose},
    {Op::Cast},
    {Op::Const},
    {Op::Identity},
    {Op::ConstShape},
};
static_assert(std::size(kVulkanFp8Operators) == 11);

constexpr TypeCapability kVulkanIntegerTypes[] = {
    {Int8, kRoleAll},
    {Int32, kRoleAll},
    {Bool, kRoleAll},
};

constexpr OperatorCapability kVulkanIntegerOperators[] = {
    {Op::Argmax},
    {Op::AvgPool2d, kConstantParameters},
    {Op::Conv2d, kConstantParameters},
    {Op::DepthwiseConv2d, kConstantParameters},
    {Op::MatMul, kConstantParameters},
    {Op::MaxPool2d},
    {Op::Clamp},
    {Op::Add},
    {Op::ArithmeticRightShift},
    {Op::BitwiseAnd},
    {Op::BitwiseOr},
    {Op::BitwiseXor},
    {Op::LogicalAnd},
    {Op::LogicalLeftShift},
    {Op::LogicalRightShift},
    {Op::LogicalOr},
    {Op::LogicalXor},
    {Op::Maximum},
    {Op::Minimum},
    {Op::Mul, kConstantParameters},
    {Op::Sub},
    {Op::Table},
    {Op::Abs},
    {Op::BitwiseNot},
    {Op::Clz},
    {Op::LogicalNot},
    {Op::Negate, kConstantParameters},
    {Op::Select},
    {Op::Equal},
    {Op::Greater},
    {Op::GreaterEqual},
    {Op::ReduceAll},
    {Op::ReduceAny},
    {Op::ReduceMax},
    {Op::ReduceMin},
    {Op::ReduceSum},
    {Op::Concat},
    {Op::Pad, kConstantParameters},
    {Op::Reshape, kConstantParameters},
    {Op::Reverse},
    {Op::Slice, kConstantParameters},
    {Op::Tile, kConstantParameters},
    {Op::Transpose},
    {Op::Gather},
    {Op::Resize, kConstantParameters},
    {Op::Cast},
    {Op::Rescale, kConstantParameters},
    {Op::Const},
    {Op::Identity},
    {Op::ConstShape},
};

constexpr Descriptor kVulkan[] = {
    {.target = kFloatTarget,
     .types = kVulkanFloatTypes,
     .operators = kVulkanFloatOperators,
     .envelope = {.conditions = kConditionBit<PowDomain> | kConditionBit<IndicesInRange>}},
    {.target = {.profiles = kProfileFloat, .extensions = kExtensionFp8E4M3 | kExtensionFp8E5M2},
     .types = kVulkanFp8Types,
     .operators = kVulkanFp8Operators,
     .envelope = {}},
    {.target = {.profiles = kProfileInteger, .extensions = kExtensionDoubleRound},
     .types = kVulkanIntegerTypes,
     .operators = kVulkanIntegerOperators,
     .envelope = {.conditions = kConditionBit<ShiftInRange> | kConditionBit<Int32MultiplyInRange> |
                                kConditionBit<IndicesInRange>}},
};

constexpr TypeCapability kXdnaBf16Types[] = {{Bf16, kRoleAll}, {Fp32, kRoleOutput}};

constexpr OperatorCapability kXdnaBf16Operators[] = {
    {Op::MatMul, kConstantParameters | kZeroZeroPoints},
    {Op::MaxPool2d, kPropagatingNan | kZeroPadding},
    {Op::Const},
    {Op::Identity},
};

// BF16 between CAST and MATMUL, and for its zero points, belongs to the fused graph.
constexpr TypeCapability kXdnaFp8Types[] = {
    {Fp8E4M3, kRoleInput},
    {Fp8E5M2, kRoleInput},
    {Bf16, kRoleOutput | kRoleIntermediate | kRoleConstant, true},
    {Fp32, kRoleOutput},
};

constexpr OperatorCapability kXdnaFp8Operators[] = {
    {Op::MatMul, kConstantParameters | kZeroZeroPoints},
    {Op::Cast},
    {Op::Const},
};

constexpr TypeCapability kXdnaIntegerTypes[] = {{Int8, kRoleAll}, {Int32, kRoleAll}};

constexpr OperatorCapability kXdnaIntegerOperators[] = {
    {Op::MatMul, kConstantParameters},
    {Op::Rescale, kConstantParameters},
    {Op::Const},
    {Op::Identity},
};

constexpr Descriptor kXdna[] = {
    {.target = {.profiles = kProfileFloat, .extensions = kExtensionBf16},
     .types = kXdnaBf16Types,
     .operators = kXdnaBf16Operators,
     .envelope = {}},
    {.target = {.profiles = kProfileFloat,
                .extensions = kExtensionBf16 | kExtensionFp8E4M3 | kExtensionFp8E5M2},
     .types = kXdnaFp8Types,
     .operators = kXdnaFp8Operators,
     .envelope = {}},
    {.target = {.profiles = kProfileInteger},
     .types = kXdnaIntegerTypes,
     .operators = kXdnaIntegerOperators,
     .envelope = {}},
};

}  // namespace

const Descriptor& cpu_tier() {
    return kCpu;
}

std::span<const Descriptor> vulkan_tiers() {
    return kVulkan;
}

std::span<const Descriptor> xdna_tiers() {
    return kXdna;
}

}  // namespace tosa
