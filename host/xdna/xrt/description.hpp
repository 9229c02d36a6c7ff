// SPDX-License-Identifier: MIT
//
// What the kernel says of an NPU, and what is known of such ones. Nothing of XRT here.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "xdna/hardware.hpp"

namespace xdna {

// Versions of driver, firmware and XRT that somebody has run the provider on.
struct TestedSet {
    std::string_view driver, firmware, xrt;
};

// Vendor, device and revision, as XRT says them (xrt::info::device::pcie_info): one object of
// strings. What is not in it stays 0.
void read_pcie_info(std::string_view json, NpuDescription& npu);

// What the files under `sysfs`, as a rule /sys, say of the device at its address: what XRT
// does not, and the rest if it is not known yet. What cannot be read stays empty.
void read_sysfs(const std::filesystem::path& sysfs, NpuDescription& npu);

// Whether it is an NPU of AMD's at all. Sets `unusable`.
[[nodiscard]] bool judge(NpuDescription& npu);

// The text of `untested`.
[[nodiscard]] std::string untested(const NpuDescription& npu, std::span<const TestedSet> tested);

}  // namespace xdna
