// SPDX-License-Identifier: MIT
//
// The descriptors of the providers, one for each target that they know (providers.md 2).
#pragma once

#include <span>

#include "tosa/capability.hpp"

namespace tosa {

// Everything but CUSTOM, whose operators are somebody else's.
[[nodiscard]] const Descriptor& cpu_tier();

// FP32 with FP16, and FP8 (providers.md 2.2 and 2.3).
[[nodiscard]] std::span<const Descriptor> vulkan_tiers();

// BF16, FP8 storage, and integers (providers.md 2.5). What they take are a few whole
// graphs, so that far less loads than lies inside.
[[nodiscard]] std::span<const Descriptor> xdna_tiers();

}  // namespace tosa
