// SPDX-License-Identifier: MIT
//
// accelctl selftest: what every virtio-accel device does, tried on this one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <accel/kernel.hpp>

#include "outcome.hpp"

namespace accelctl {

struct Tally {
    unsigned passed = 0;
    unsigned failed = 0;
};

// `print` gets one line for each check as it ends.
[[nodiscard]] Outcome<Tally> selftest(const std::string& path, accel::Kernel& kernel,
                                      const std::function<void(std::string_view)>& print);

}  // namespace accelctl
