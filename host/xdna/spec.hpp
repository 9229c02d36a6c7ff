// SPDX-License-Identifier: MIT
//
// What a kernel of the array computes, in integers and enumerators alone: a program of the
// guest is matched to one of these or refused, and no other byte of it goes any further
// (providers.md 2.5 and 4.2).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "provider/bindings.hpp"

namespace xdna {

enum class Fp8 : std::uint8_t { E4M3, E5M2 };

struct Shape {
    std::uint32_t m = 0, k = 0, n = 0;  // A is m by k, B is k by n
    friend bool operator==(const Shape&, const Shape&) = default;
};

struct Bf16Identity {
    std::uint32_t elements = 0;
    friend bool operator==(const Bf16Identity&, const Bf16Identity&) = default;
};
struct Int8Identity {
    std::uint32_t elements = 0;
    friend bool operator==(const Int8Identity&, const Int8Identity&) = default;
};
struct Fp8ToBf16 {
    Fp8 format = Fp8::E4M3;
    std::uint32_t elements = 0;
    friend bool operator==(const Fp8ToBf16&, const Fp8ToBf16&) = default;
};
struct Bf16Matmul {  // to FP32
    Shape shape;
    friend bool operator==(const Bf16Matmul&, const Bf16Matmul&) = default;
};
struct Fp8Matmul {  // both widened to BF16 on the way; to FP32
    Fp8 a = Fp8::E4M3, b = Fp8::E4M3;
    Shape shape;
    friend bool operator==(const Fp8Matmul&, const Fp8Matmul&) = default;
};
struct Int8Matmul {  // to INT32
    Shape shape;
    std::int8_t a_zero = 0, b_zero = 0;
    friend bool operator==(const Int8Matmul&, const Int8Matmul&) = default;
};
struct Int32ToInt8Rescale {
    std::uint32_t elements = 0;
    std::int32_t multiplier = 0;
    std::uint32_t shift = 0;
    std::int8_t output_zero = 0;
    friend bool operator==(const Int32ToInt8Rescale&, const Int32ToInt8Rescale&) = default;
};
struct Bf16MaxPool2d {  // one image, NHWC, no padding, NaN propagates
    std::uint32_t in_height = 0, in_width = 0, channels = 0;
    std::uint32_t kernel_y = 0, kernel_x = 0, stride_y = 0, stride_x = 0;
    friend bool operator==(const Bf16MaxPool2d&, const Bf16MaxPool2d&) = default;
};

using Spec = std::variant<Bf16Identity, Int8Identity, Fp8ToBf16, Bf16Matmul, Fp8Matmul, Int8Matmul,
                          Int32ToInt8Rescale, Bf16MaxPool2d>;

// Why no kernel is made for it; empty if one is. Whoever takes a spec from somebody else
// asks this before anything is computed from it.
[[nodiscard]] std::string unfit(const Spec& spec);

// What it takes: inputs, then the output, in units of the 4 bytes that the array's DMA
// moves. The spec is fit.
[[nodiscard]] std::vector<provider::Slot> slots(const Spec& spec);

// One line of words, such as "int8-matmul m=64 k=64 n=32 a_zero=-2 b_zero=3": the same for
// equal specs. It names kernels to the store, to compilers and in logs.
[[nodiscard]] std::string to_text(const Spec& spec);
// Its inverse, exactly. Nothing for any other text, and for a spec that is not fit.
[[nodiscard]] std::optional<Spec> from_text(std::string_view text);

}  // namespace xdna
