// SPDX-License-Identifier: MIT
//
// The providers that the suite runs on.
#pragma once

#include <expected>
#include <string>

#include "conformance/target.hpp"

namespace conformance {

[[nodiscard]] Target mock_target();
[[nodiscard]] Target cpu_target();

// The device of VULKAN_DEVICE, lavapipe if that is empty. The error says why there is none.
[[nodiscard]] std::expected<Target, std::string> vulkan_target();

// On a double of the device, as no answer of a provider depends on it. The error says what is
// not built.
[[nodiscard]] std::expected<Target, std::string> xdna_target();

}  // namespace conformance
