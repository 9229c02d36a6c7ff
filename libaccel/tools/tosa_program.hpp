// SPDX-License-Identifier: MIT
//
// Small TOSA programs made in memory, for the self test.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace accelctl {

// y = x, FP32 [count].
[[nodiscard]] std::vector<std::byte> identity_program(std::size_t count);

// y = clamp(a · b + bias, low, high): a is [1, 2, 3], b is [1, 3, 2], bias is a
// constant [1, 1, 2], all FP32. A bias and bounds make every operator matter.
struct LinearConstants {
    std::array<float, 2> bias{};
    float low = 0;
    float high = 0;
};
[[nodiscard]] std::vector<std::byte> linear_program(const LinearConstants& constants);

}  // namespace accelctl
