// SPDX-License-Identifier: MIT
//
// What the kernel says of an NPU, and what is known of such ones. Nothing of XRT here.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "xdna/hardware.hpp"

namespace xdna {

// Versions of driver, firmware and XRT that somebody has run the provider on.
struct TestedSet {
    std::string_view driver, firmware, xrt;
};

// Fills in what the device's files under `sysfs`, as a rule /sys, say. What cannot be read
// stays empty. The address is known.
void read_sysfs(const std::filesystem::path& sysfs, NpuDescription& npu);

// Whether it is an NPU of AMD's at all. Sets `unusable`.
[[nodiscard]] bool judge(NpuDescription& npu);

// The text of `untested`.
[[nodiscard]] std::string untested(const NpuDescription& npu, std::span<const TestedSet> tested);

}  // namespace xdna
