// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "tosa/graph.hpp"
#include "vulkan/provider.hpp"

namespace vulkan {

// A program, and what it makes of some inputs on every device, to the bit.
struct KnownAnswer {
    std::string_view name;
    tosa::Graph graph;
    std::vector<std::vector<std::byte>> inputs;
    std::vector<std::byte> output;

    // What the graph borrows.
    std::deque<std::vector<std::int32_t>> lists{};
    std::deque<std::vector<std::byte>> constants{};
    std::deque<flatbuffers::FlatBufferBuilder> attributes{};
};

// One for each way that kernels compute. They are few, as a driver compiles each on its own.
[[nodiscard]] std::vector<KnownAnswer> known_answers();

// Of products by matrices, of FP16 and of INT8. They are exact in every order of summation, if
// sums have the 24 bits of FP32, and products and subnormals are not rounded.
[[nodiscard]] std::vector<KnownAnswer> matrix_answers();

// Kernels that the device computes right with. Matrices with which it does not are not used, and
// the options' warning is told; anything else that is wrong is an error.
[[nodiscard]] std::expected<std::shared_ptr<Kernels>, std::string> trusted_kernels(
    std::shared_ptr<Kernels> kernels, const Options& options);

// Runs them the way that every program is run. The error names the first that the device gets
// wrong.
[[nodiscard]] std::expected<void, std::string> self_test(VulkanProvider& provider,
                                                         std::span<const KnownAnswer> answers);

}  // namespace vulkan
