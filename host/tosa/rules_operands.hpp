// SPDX-License-Identifier: MIT
//
// The operands of providers.md 1.8.1, a list for each group of operators that share it.
#pragma once

#include "tosa/rules.hpp"

namespace tosa::operand_rules {

inline constexpr OperandRule of_rank(std::uint8_t rank, Column column = Column::Value) {
    return {.column = column, .min_rank = rank, .max_rank = rank};
}
inline constexpr OperandRule zero_point(Column column = Column::Value) {
    return {.role = Role::ZeroPoint, .column = column, .min_rank = 1, .max_rank = 1};
}
inline constexpr OperandRule constant_row(Column column) {
    return {.role = Role::Constant, .column = column, .min_rank = 1, .max_rank = 1};
}
inline constexpr OperandRule shape_of(std::uint8_t length) {
    return {.role = Role::Shape, .min_rank = length, .max_rank = length};
}

inline constexpr OperandRule kTensor{};
inline constexpr OperandRule kResult{.column = Column::Result};
inline constexpr OperandRule kCondition{.column = Column::Bool};
inline constexpr OperandRule kShape{.role = Role::Shape, .max_rank = 255};
inline constexpr OperandRule kNoScalar{.min_rank = 1};
inline constexpr OperandRule kSameRank{.min_rank = 1, .rank_of = RankOf::FirstInput};

inline constexpr OperandRule kOneTensor[] = {kTensor};
inline constexpr OperandRule kTwoTensors[] = {kTensor, kTensor};
inline constexpr OperandRule kOneResult[] = {kResult};
inline constexpr OperandRule kOneNoScalar[] = {kNoScalar};
inline constexpr OperandRule kOneSameRank[] = {kSameRank};
inline constexpr OperandRule kOneCondition[] = {kCondition};
inline constexpr OperandRule kOneShape[] = {kShape};
inline constexpr OperandRule kRank3[] = {of_rank(3)};
inline constexpr OperandRule kTwoOfRank3[] = {of_rank(3), of_rank(3)};
inline constexpr OperandRule kRank4[] = {of_rank(4)};
inline constexpr OperandRule kResultRank3[] = {of_rank(3, Column::Result)};
inline constexpr OperandRule kResultRank4[] = {of_rank(4, Column::Result)};
inline constexpr OperandRule kResultRank5[] = {of_rank(5, Column::Result)};

inline constexpr OperandRule kArgmaxOutput[] = {
    {.column = Column::Result, .rank_of = RankOf::FirstInputLessOne}};
inline constexpr OperandRule kAvgPool[] = {of_rank(4), zero_point(), zero_point()};
inline constexpr OperandRule kConvolution2d[] = {of_rank(4), of_rank(4, Column::Weight),
                                                 of_rank(1, Column::Result), zero_point(),
                                                 zero_point(Column::Weight)};
inline constexpr OperandRule kConvolution3d[] = {of_rank(5), of_rank(5, Column::Weight),
                                                 of_rank(1, Column::Result), zero_point(),
                                                 zero_point(Column::Weight)};
inline constexpr OperandRule kMatMul[] = {of_rank(3), of_rank(3), zero_point(), zero_point()};
inline constexpr OperandRule kMul[] = {kTensor, kTensor, constant_row(Column::Int8)};
inline constexpr OperandRule kTable[] = {kTensor, constant_row(Column::Weight)};
inline constexpr OperandRule kNegate[] = {kTensor, zero_point(), zero_point()};
inline constexpr OperandRule kSelect[] = {kCondition, kTensor, kTensor};
inline constexpr OperandRule kPad[] = {kNoScalar, kShape, constant_row(Column::Value)};
inline constexpr OperandRule kReshape[] = {kTensor, kShape};
inline constexpr OperandRule kSlice[] = {kNoScalar, kShape, kShape};
inline constexpr OperandRule kTile[] = {kNoScalar, kShape};
inline constexpr OperandRule kGather[] = {of_rank(3), of_rank(2, Column::Int32)};
inline constexpr OperandRule kScatter[] = {of_rank(3), of_rank(2, Column::Int32), of_rank(3)};
inline constexpr OperandRule kResize[] = {of_rank(4), shape_of(4), shape_of(2), shape_of(2)};
// Which type the multiplier has says the attribute scale32.
inline constexpr OperandRule kRescale[] = {kTensor, constant_row(Column::Any),
                                           constant_row(Column::Int8), zero_point(),
                                           zero_point(Column::Result)};

}  // namespace tosa::operand_rules
