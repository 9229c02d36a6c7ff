// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <accel/accel.hpp>

namespace accelctl {

// The accelerator behind a device node, for a reader.
[[nodiscard]] std::string describe(std::string_view path, const accel::DeviceInfo& info);

}  // namespace accelctl
