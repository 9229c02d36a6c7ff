// SPDX-License-Identifier: MIT
#include "tosa/rules.hpp"

#include <algorithm>

#include "tosa/checks.hpp"

namespace tosa {
namespace {

using enum DType;

constexpr std::uint32_t kAnyProfile = kProfileInteger | kProfileFloat;

constexpr TypeRule kFp16{{Fp16, Fp16}, kProfileFloat};
constexpr TypeRule kFp32{{Fp32, Fp32}, kProfileFloat};
constexpr TypeRule kBf16{{Bf16, Bf16}, kProfileFloat, kExtensionBf16};
constexpr TypeRule kFp8E4M3{{Fp8E4M3, Fp8E4M3}, kProfileFloat, kExtensionFp8E4M3};
constexpr TypeRule kFp8E5M2{{Fp8E5M2, Fp8E5M2}, kProfileFloat, kExtensionFp8E5M2};
constexpr TypeRule kBool{{Bool, Bool}, kAnyProfile};

constexpr TypeRule kMatMulTypes[] = {
    {{Int8, Int32}, kProfileInteger},
    {{Int16, Int48}, kProfileInteger, kExtensionInt16},
    {{Fp8E4M3, Fp16}, kProfileFloat, kExtensionFp8E4M3},
    {{Fp8E5M2, Fp16}, kProfileFloat, kExtensionFp8E5M2},
    kFp16,
    {{Fp16, Fp32}, kProfileFloat},
    {{Bf16, Fp32}, kProfileFloat, kExtensionBf16},
    kFp32,
};
constexpr TypeRule kClampTypes[] = {
    {{Int8, Int8}, kProfileInteger},
    {{Int16, Int16}, kProfileInteger, kExtensionInt16},
    kFp16,
    kFp32,
    kBf16,
};
constexpr TypeRule kArithmeticTypes[] = {{{Int32, Int32}, kAnyProfile}, kFp16, kFp32, kBf16};
constexpr TypeRule kMovementTypes[] = {
    kBool,
    {{Int8, Int8}, kProfileInteger},
    {{Int16, Int16}, kProfileInteger},
    {{Int32, Int32}, kProfileInteger},
    kFp8E4M3,
    kFp8E5M2,
    kFp16,
    kFp32,
    kBf16,
};
constexpr TypeRule kAllTypes[] = {
    kBool,
    {{Int8, Int8}, kAnyProfile},
    {{Int16, Int16}, kAnyProfile},
    {{Int32, Int32}, kAnyProfile},
    {{Int4, Int4}, kProfileInteger, kExtensionInt4},
    {{Int48, Int48}, kProfileInteger, kExtensionInt16},
    kFp8E4M3,
    kFp8E5M2,
    kFp16,
    kFp32,
    kBf16,
};

constexpr OperandRule kTensor{};
constexpr OperandRule kShape{.role = Role::Shape};
constexpr OperandRule kZeroPoint{.role = Role::ZeroPoint, .min_rank = 1, .max_rank = 1};
constexpr OperandRule kRank3{.min_rank = 3, .max_rank = 3};
constexpr OperandRule kWideRank3{.type = 1, .min_rank = 3, .max_rank = 3};

constexpr OperandRule kOneTensor[] = {kTensor};
constexpr OperandRule kTwoTensors[] = {kTensor, kTensor};
constexpr OperandRule kOneShape[] = {kShape};
constexpr OperandRule kTensorAndShape[] = {kTensor, kShape};
constexpr OperandRule kMatMulInputs[] = {kRank3, kRank3, kZeroPoint, kZeroPoint};
constexpr OperandRule kMatMulOutputs[] = {kWideRank3};

constexpr OperatorRule kRules[] = {
    {Op::MatMul, kMatMulInputs, kMatMulOutputs, kMatMulTypes, check_matmul},
    {Op::Clamp, kOneTensor, kOneTensor, kClampTypes, check_clamp},
    {Op::Add, kTwoTensors, kOneTensor, kArithmeticTypes, check_broadcast},
    {Op::Reshape, kTensorAndShape, kOneTensor, kMovementTypes, check_reshape},
    {Op::Const, {}, kOneTensor, kAllTypes, check_const},
    {Op::Identity, kOneTensor, kOneTensor, kAllTypes, check_same_shape},
    {Op::ConstShape, {}, kOneShape, {}, check_const},
};

}  // namespace

const OperatorRule* find_rule(Op op) {
    const auto* rule = std::ranges::find(kRules, op, &OperatorRule::op);
    return rule == std::end(kRules) ? nullptr : rule;
}

}  // namespace tosa
