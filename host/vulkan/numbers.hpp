// SPDX-License-Identifier: MIT
//
// The shaders' names for their numbers: types, stages, specialization constants.
#pragma once

#include <cstdint>

namespace vulkan::shader {

using uint = std::uint32_t;
#include "vulkan/shaders/numbers.inc"

[[nodiscard]] constexpr uint lanes_of(uint type) {
    return type <= kInt32 ? 1 : type == kFp16 ? 2 : 4;
}
[[nodiscard]] constexpr bool is_transcendental(uint stage) {
    return stage <= kPow;
}
[[nodiscard]] constexpr bool is_float(uint type) {
    return type == kFp32 || (type >= kFp16 && type <= kFp8E5M2);
}

}  // namespace vulkan::shader
