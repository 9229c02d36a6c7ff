// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <accel/accel.hpp>

#include "outcome.hpp"

namespace accelctl {

// The node at `path`, or the first of a virtio-accel device if `path` is empty.
[[nodiscard]] Outcome<accel::Device> open_device(const std::string& path, accel::Kernel& kernel);

}  // namespace accelctl
