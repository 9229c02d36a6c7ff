// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vulkan/kernels.hpp"
#include "vulkan/plan.hpp"

namespace vulkan {

struct Pipelines {
    std::vector<Handle<VkPipeline>> distinct;
    std::vector<std::uint32_t> of_dispatch;  // which of them
};

// Each pipeline once, on as many threads as there are processors, this one included. The first
// failure ends it.
[[nodiscard]] Result<Pipelines> compile(const Kernels& kernels,
                                        std::span<const Dispatch> dispatches);

}  // namespace vulkan
