// SPDX-License-Identifier: MIT
//
// The SPIR-V that the build makes of shaders/*.comp. Nothing of a guest's ever reaches a
// shader compiler: a program only picks kernels and the numbers that specialize them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vulkan {

enum class Kernel : std::uint8_t {
    Elementwise,
    Move,
    Concat,
    Gemm,
    HalfMatrices,  // matrices.comp, of either element
    ByteMatrices,
    Gemv,
    Depthwise,
    Pool,
    Reduce,
    Gather,
    Resize
};

// What SPIR-V wants that not every device has.
enum class Feature : std::uint8_t {
    None,
    IntegerDot,    // of Gemm: VK_KHR_shader_integer_dot_product
    FullSubgroups  // of Reduce, to exchange values, and of matrices
};

// What a kernel's SPIR-V has to be able to do, of all that the kernel was built for.
struct Variant {
    Kernel kernel = Kernel::Elementwise;
    std::uint32_t stages = 0;     // of its chain
    bool transcendental = false;  // stages among them
    Feature feature = Feature::None;

    auto operator<=>(const Variant&) const = default;
};

// One build of a shader.
struct Code {
    Variant most;
    std::span<const std::uint32_t> spirv;
};
[[nodiscard]] std::span<const Code> every_code();

// The smallest that does. There is one for every chain that fuse() makes.
[[nodiscard]] std::size_t code_for(const Variant& variant);

}  // namespace vulkan
