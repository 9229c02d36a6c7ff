// SPDX-License-Identifier: MIT
//
// Names of the TOSA 1.0 serialization: data types, operators, modes. The numbers
// are those of the FlatBuffers schema (uapi/tosa/tosa.fbs).
#pragma once

#include <cstdint>
#include <string_view>

namespace tosa {

enum class DType : std::uint32_t {
    Unknown = 0,
    Bool = 1,
    Int4 = 2,
    Int8 = 3,
    Int16 = 4,
    Int32 = 5,
    Int48 = 6,
    Fp32 = 7,
    Fp16 = 8,
    Bf16 = 9,
    Shape = 10,
    Fp8E4M3 = 11,
    Fp8E5M2 = 12,
};

enum class Op : std::uint32_t {
    Argmax = 1,
    AvgPool2d,
    Conv2d,
    Conv3d,
    DepthwiseConv2d,
    Fft2d,
    MatMul,
    MaxPool2d,
    Rfft2d,
    TransposeConv2d,
    Clamp,
    Erf,
    Sigmoid,
    Tanh,
    Add,
    ArithmeticRightShift,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    IntDiv,
    LogicalAnd,
    LogicalLeftShift,
    LogicalRightShift,
    LogicalOr,
    LogicalXor,
    Maximum,
    Minimum,
    Mul,
    Pow,
    Sub,
    Table,
    Abs,
    BitwiseNot,
    Ceil,
    Clz,
    Cos,
    Exp,
    Floor,
    Log,
    LogicalNot,
    Negate,
    Reciprocal,
    Rsqrt,
    Sin,
    Select,
    Equal,
    Greater,
    GreaterEqual,
    ReduceAll,
    ReduceAny,
    ReduceMax,
    ReduceMin,
    ReduceProduct,
    ReduceSum,
    Concat,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Tile,
    Transpose,
    Gather,
    Scatter,
    Resize,
    Cast,
    Rescale,
    Const,
    Identity,
    Custom,
    CondIf,
    WhileLoop,
    Variable,
    VariableWrite,
    VariableRead,
    ConstShape,
};
inline constexpr std::uint32_t kLastStableOp = 75;
static_assert(static_cast<std::uint32_t>(Op::ConstShape) == kLastStableOp);

enum class NanMode : std::uint32_t { Propagate = 1, Ignore = 2 };

// "MATMUL", "FP32": the specification's spelling. "?" for a number that has no name.
[[nodiscard]] std::string_view name(Op op);
[[nodiscard]] std::string_view name(DType type);

}  // namespace tosa
