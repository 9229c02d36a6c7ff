// SPDX-License-Identifier: MIT
//
// A chain of elementwise operators as one kernel computes it: element i of the output from
// element i of the inputs, by a few stages (shaders/chain.glsl).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vulkan/numbers.hpp"

namespace vulkan {

using TensorId = std::uint32_t;
inline constexpr TensorId kNoTensor = 0xFFFFFFFF;

inline constexpr std::size_t kMostDims = 6;  // that the kernels index
using Extents = std::array<std::uint32_t, kMostDims>;

struct ChainInput {
    TensorId tensor = kNoTensor;  // none where it is kComputed or kImmediate
    std::uint32_t find = shader::kLinear;
    std::uint32_t immediate = 0;
    Extents strides{};  // kStrided: in elements, 0 where one stands for a whole dimension
};

struct Stage {
    std::uint32_t op = shader::kCopy;
    std::array<std::uint32_t, 3> values{};  // an input, or shader::kChainInputs + a stage
    std::uint32_t type = shader::kFp32;     // that the result is rounded to
    std::array<std::uint32_t, shader::kStageParameters> parameters{};
};

// Inputs and stages are at most shader::kChainInputs and shader::kChainStages.
struct Chain {
    Extents dims{};  // of the output, padded with leading ones; matters to strided inputs only
    std::uint32_t count = 0;
    std::vector<ChainInput> inputs;
    std::vector<Stage> stages;  // none: the first input is the output

    [[nodiscard]] bool strided() const;
    [[nodiscard]] bool computed() const;
    [[nodiscard]] std::optional<std::uint32_t> input_of(TensorId tensor) const;
};

// The chain that computes `first`, and from it, where `second` reads `link` at the output's
// index, what `second` does. None: it would be too long, or reads in two shapes.
[[nodiscard]] std::optional<Chain> fused(const Chain& first, const Chain& second, TensorId link);

}  // namespace vulkan
