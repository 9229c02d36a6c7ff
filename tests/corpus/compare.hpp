// SPDX-License-Identifier: MIT
//
// When two tensors count as equal (providers.md 6.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tosa/types.hpp"

namespace corpus {

using Bytes = std::vector<std::byte>;

struct Tensor {
    tosa::DType type = tosa::DType::Fp32;
    std::vector<std::int32_t> shape;
    Bytes data;  // as it lies in a buffer
};

// How a finite value may differ from the one expected. Always: any NaN stands for NaN,
// infinities and zeros are exact, and so is everything that is no float.
struct Tolerance {
    double absolute = 0;  // either of these two, or
    double relative = 0;
    std::uint32_t ulp = 0;  // this many encodings away, with the same sign
};

// Empty where `got` is near enough to `expected`, else a sentence about the first element
// that is not.
[[nodiscard]] std::string difference(const Tensor& expected, const Bytes& got,
                                     const Tolerance& tolerance);

}  // namespace corpus
