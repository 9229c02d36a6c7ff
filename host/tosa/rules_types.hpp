// SPDX-License-Identifier: MIT
//
// The combinations of data types of providers.md 1.8.2, a list for each group of operators
// that share it.
#pragma once

#include "tosa/rules.hpp"

namespace tosa::type_rules {

using enum DType;

inline constexpr std::uint32_t kInteger = kProfileInteger;
inline constexpr std::uint32_t kFloat = kProfileFloat;
inline constexpr std::uint32_t kAnyProfile = kProfileInteger | kProfileFloat;

inline constexpr TypeRule kBool{Bool, Bool, kAnyProfile};
inline constexpr TypeRule kInt8{Int8, Int8, kInteger};
inline constexpr TypeRule kInt16{Int16, Int16, kInteger};
inline constexpr TypeRule kInt32{Int32, Int32, kInteger};
inline constexpr TypeRule kFp8E4M3{Fp8E4M3, Fp8E4M3, kFloat, kExtensionFp8E4M3};
inline constexpr TypeRule kFp8E5M2{Fp8E5M2, Fp8E5M2, kFloat, kExtensionFp8E5M2};
inline constexpr TypeRule kFp16{Fp16, Fp16, kFloat};
inline constexpr TypeRule kFp32{Fp32, Fp32, kFloat};
inline constexpr TypeRule kBf16{Bf16, Bf16, kFloat, kExtensionBf16};
inline constexpr TypeRule kExtendedInt16{Int16, Int16, kInteger, kExtensionInt16};
inline constexpr TypeRule kAnyInt8{Int8, Int8, kAnyProfile};
inline constexpr TypeRule kAnyInt16{Int16, Int16, kAnyProfile};
inline constexpr TypeRule kAnyInt32{Int32, Int32, kAnyProfile};

inline constexpr TypeRule kArgmax[] = {
    {Int8, Int32, kInteger},
    {Int16, Int32, kInteger, kExtensionInt16},
    {Fp8E4M3, Int32, kFloat, kExtensionFp8E4M3},
    {Fp8E5M2, Int32, kFloat, kExtensionFp8E5M2},
    {Fp16, Int32, kFloat},
    {Fp32, Int32, kFloat},
    {Bf16, Int32, kFloat, kExtensionBf16},
};
inline constexpr TypeRule kMaxPool[] = {
    kInt8, kExtendedInt16, kFp8E4M3, kFp8E5M2, kFp16, kFp32, kBf16,
};
inline constexpr TypeRule kAvgPool[] = {
    {Int8, Int8, kInteger, 0, Unknown, Int32},
    {Int16, Int16, kInteger, kExtensionInt16, Unknown, Int32},
    {Fp8E4M3, Fp8E4M3, kFloat, kExtensionFp8E4M3, Unknown, Fp16},
    {Fp8E5M2, Fp8E5M2, kFloat, kExtensionFp8E5M2, Unknown, Fp16},
    {Fp16, Fp16, kFloat, 0, Unknown, Fp16},
    {Fp16, Fp16, kFloat, 0, Unknown, Fp32},
    {Bf16, Bf16, kFloat, kExtensionBf16, Unknown, Fp32},
    {Fp32, Fp32, kFloat, 0, Unknown, Fp32},
};
inline constexpr TypeRule kConvolution[] = {
    {Int8, Int32, kInteger, 0, Int8, Int32},
    {Int8, Int32, kInteger, kExtensionInt4, Int4, Int32},
    {Int16, Int48, kInteger, kExtensionInt16, Int8, Int48},
    {Fp8E4M3, Fp16, kFloat, kExtensionFp8E4M3, Fp8E4M3, Fp16},
    {Fp8E5M2, Fp16, kFloat, kExtensionFp8E5M2, Fp8E5M2, Fp16},
    {Fp16, Fp16, kFloat, 0, Fp16, Fp16},
    {Fp16, Fp16, kFloat, 0, Fp16, Fp32},
    {Bf16, Bf16, kFloat, kExtensionBf16, Bf16, Fp32},
    {Fp32, Fp32, kFloat, 0, Fp32, Fp32},
};
inline constexpr TypeRule kMatMul[] = {
    {Int8, Int32, kInteger},
    {Int16, Int48, kInteger, kExtensionInt16},
    {Fp8E4M3, Fp16, kFloat, kExtensionFp8E4M3},
    {Fp8E5M2, Fp16, kFloat, kExtensionFp8E5M2},
    kFp16,
    {Fp16, Fp32, kFloat},
    {Bf16, Fp32, kFloat, kExtensionBf16},
    kFp32,
};
inline constexpr TypeRule kFft[] = {{Fp32, Fp32, kFloat, kExtensionFft}};
inline constexpr TypeRule kClamp[] = {kInt8, kExtendedInt16, kFp16, kFp32, kBf16};
inline constexpr TypeRule kFloats[] = {kFp16, kFp32, kBf16};
inline constexpr TypeRule kAddition[] = {kAnyInt32, kFp16, kFp32, kBf16};
inline constexpr TypeRule kIntegers[] = {kInt8, kInt16, kInt32};
inline constexpr TypeRule kAnyIntegers[] = {kAnyInt8, kAnyInt16, kAnyInt32};
inline constexpr TypeRule kDivision[] = {kAnyInt32};
inline constexpr TypeRule kBools[] = {kBool};
inline constexpr TypeRule kInt32AndFloats[] = {kInt32, kFp16, kFp32, kBf16};
inline constexpr TypeRule kInt32Only[] = {kInt32};
inline constexpr TypeRule kComparison[] = {
    {Int32, Bool, kInteger},
    {Fp16, Bool, kFloat},
    {Fp32, Bool, kFloat},
    {Bf16, Bool, kFloat, kExtensionBf16},
};
inline constexpr TypeRule kMul[] = {
    {Int8, Int32, kInteger}, {Int16, Int32, kInteger}, kAnyInt32, kFp16, kFp32, kBf16,
};
inline constexpr TypeRule kTable[] = {
    {Int8, Int8, kInteger, 0, Int8},
    {Int16, Int32, kInteger, kExtensionInt16, Int16},
};
inline constexpr TypeRule kIntegersAndFloats[] = {kInt8, kInt16, kInt32, kFp16, kFp32, kBf16};
inline constexpr TypeRule kSelect[] = {kBool, kInt8, kInt16, kInt32, kFp16, kFp32, kBf16};
inline constexpr TypeRule kConcat[] = {
    kBool, kInt8, kExtendedInt16, kInt32, kFp8E4M3, kFp8E5M2, kFp16, kFp32, kBf16,
};
inline constexpr TypeRule kLayout[] = {
    kBool, kInt8, kInt16, kInt32, kFp8E4M3, kFp8E5M2, kFp16, kFp32, kBf16,
};
inline constexpr TypeRule kGather[] = {
    kInt8, kInt16, kInt32, kFp8E4M3, kFp8E5M2, kFp16, kFp32, kBf16,
};
inline constexpr TypeRule kResize[] = {
    kInt8,          {Int8, Int32, kInteger},
    kExtendedInt16, {Int16, Int48, kInteger, kExtensionInt16},
    kFp16,          kFp32,
    kBf16,
};
inline constexpr TypeRule kCast[] = {
    {Bool, Int8, kInteger},
    {Bool, Int16, kInteger},
    {Bool, Int32, kInteger},
    {Int8, Bool, kInteger},
    {Int8, Int16, kInteger},
    {Int8, Int32, kInteger},
    {Int16, Bool, kInteger},
    {Int16, Int8, kInteger},
    {Int16, Int32, kInteger},
    {Int32, Bool, kInteger},
    {Int32, Int8, kInteger},
    {Int32, Int16, kInteger},
    {Int8, Fp16, kFloat},
    {Int8, Fp32, kFloat},
    {Int8, Bf16, kFloat, kExtensionBf16},
    {Int16, Fp16, kFloat},
    {Int16, Fp32, kFloat},
    {Int16, Bf16, kFloat, kExtensionBf16},
    {Int32, Fp16, kFloat},
    {Int32, Fp32, kFloat},
    {Int32, Bf16, kFloat, kExtensionBf16},
    {Fp16, Int8, kFloat},
    {Fp16, Int16, kFloat},
    {Fp16, Int32, kFloat},
    {Fp16, Fp32, kFloat},
    {Fp16, Fp8E4M3, kFloat, kExtensionFp8E4M3},
    {Fp16, Fp8E5M2, kFloat, kExtensionFp8E5M2},
    {Fp32, Int8, kFloat},
    {Fp32, Int16, kFloat},
    {Fp32, Int32, kFloat},
    {Fp32, Fp16, kFloat},
    {Fp32, Bf16, kFloat, kExtensionBf16},
    {Fp32, Fp8E4M3, kFloat, kExtensionFp8E4M3},
    {Fp32, Fp8E5M2, kFloat, kExtensionFp8E5M2},
    {Bf16, Int8, kFloat, kExtensionBf16},
    {Bf16, Int16, kFloat, kExtensionBf16},
    {Bf16, Int32, kFloat, kExtensionBf16},
    {Bf16, Fp32, kFloat, kExtensionBf16},
    {Bf16, Fp8E4M3, kFloat, kExtensionBf16},
    {Bf16, Fp8E5M2, kFloat, kExtensionBf16},
    {Fp8E4M3, Fp16, kFloat, kExtensionFp8E4M3},
    {Fp8E4M3, Bf16, kFloat, kExtensionFp8E4M3},
    {Fp8E4M3, Fp32, kFloat, kExtensionFp8E4M3},
    {Fp8E5M2, Fp16, kFloat, kExtensionFp8E5M2},
    {Fp8E5M2, Bf16, kFloat, kExtensionFp8E5M2},
    {Fp8E5M2, Fp32, kFloat, kExtensionFp8E5M2},
};
inline constexpr TypeRule kRescale[] = {
    kInt8,
    {Int8, Int16, kInteger},
    {Int8, Int32, kInteger},
    {Int16, Int8, kInteger},
    kInt16,
    {Int16, Int32, kInteger},
    {Int32, Int8, kInteger},
    {Int32, Int16, kInteger},
    kInt32,
    {Int48, Int8, kInteger, kExtensionInt16},
    {Int48, Int16, kInteger, kExtensionInt16},
    {Int48, Int32, kInteger, kExtensionInt16},
};
inline constexpr TypeRule kAllTypes[] = {
    kBool,
    kAnyInt8,
    kAnyInt16,
    kAnyInt32,
    {Int4, Int4, kInteger, kExtensionInt4},
    {Int48, Int48, kInteger, kExtensionInt16},
    kFp8E4M3,
    kFp8E5M2,
    kFp16,
    kFp32,
    kBf16,
};
inline constexpr TypeRule kVariable[] = {kInt8, kFp16, kFp32};

}  // namespace tosa::type_rules
