// SPDX-License-Identifier: MIT
#include "tosa/compile_time.hpp"

#include <algorithm>

namespace tosa {
namespace {

using enum ConstantUse;

constexpr CompileTimeInput kInputs[] = {
    {Op::AvgPool2d, 1, ZeroPoint},
    {Op::AvgPool2d, 2, ZeroPoint},
    {Op::Conv2d, 3, ZeroPoint},
    {Op::Conv2d, 4, ZeroPoint},
    {Op::Conv3d, 3, ZeroPoint},
    {Op::Conv3d, 4, ZeroPoint},
    {Op::DepthwiseConv2d, 3, ZeroPoint},
    {Op::DepthwiseConv2d, 4, ZeroPoint},
    {Op::MatMul, 2, ZeroPoint},
    {Op::MatMul, 3, ZeroPoint},
    {Op::TransposeConv2d, 3, ZeroPoint},
    {Op::TransposeConv2d, 4, ZeroPoint},
    {Op::Mul, 2, MulShift},
    {Op::Table, 1, Table},
    {Op::Negate, 1, ZeroPoint},
    {Op::Negate, 2, ZeroPoint},
    {Op::Pad, 1, Padding},
    {Op::Pad, 2, PadValue},
    {Op::Reshape, 1, TargetShape},
    {Op::Slice, 1, SliceStart},
    {Op::Slice, 2, SliceSize},
    {Op::Tile, 1, Multiples},
    {Op::Resize, 1, Resize},
    {Op::Resize, 2, Resize},
    {Op::Resize, 3, Resize},
    {Op::Rescale, 1, RescaleMultiplier},
    {Op::Rescale, 2, RescaleShift},
    {Op::Rescale, 3, ZeroPoint},
    {Op::Rescale, 4, ZeroPoint},
};
static_assert(std::ranges::is_sorted(kInputs, {}, &CompileTimeInput::op));

}  // namespace

std::span<const CompileTimeInput> compile_time_inputs(Op op) {
    return std::ranges::equal_range(kInputs, op, {}, &CompileTimeInput::op);
}

bool required_error_check(ConstantUse use) {
    return use != MulShift && use != Table && use != RescaleMultiplier && use != RescaleShift;
}

}  // namespace tosa
