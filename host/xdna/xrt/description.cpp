// SPDX-License-Identifier: MIT
#include "xdna/xrt/description.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <fstream>
#include <string_view>

#include <sys/utsname.h>

namespace xdna {

namespace {

constexpr std::uint32_t kAmd = 0x1022;
constexpr std::uint32_t kAie2 = 0x1502;   // Phoenix, Hawk Point
constexpr std::uint32_t kAie2p = 0x17F0;  // Strix, Strix Halo, Krackan

// The first line, as an attribute has no other.
std::string read_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

// 0 for what is no such number. PCI's attributes are "0x" and hexadecimal digits.
std::uint32_t read_number(const std::filesystem::path& file) {
    const std::string line = read_line(file);
    std::uint32_t number = 0;
    if (!line.starts_with("0x")) return 0;
    const char* end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data() + 2, end, number, 16);
    return error == std::errc() && rest == end ? number : 0;
}

// The driver of the kernel's own tree has no version but the kernel's.
std::string driver_version(const std::filesystem::path& sysfs, std::string_view driver) {
    const std::string own = read_line(sysfs / "module" / driver / "version");
    if (!own.empty()) return std::format("{} {}", driver, own);
    utsname system{};
    ::uname(&system);
    return std::format("{} of Linux {}", driver, &system.release[0]);
}

}  // namespace

void read_sysfs(const std::filesystem::path& sysfs, NpuDescription& npu) {
    const auto device = sysfs / "bus/pci/devices" / npu.address;
    npu.vendor_id = read_number(device / "vendor");
    npu.device_id = read_number(device / "device");
    npu.revision = read_number(device / "revision");
    // Attributes of amdxdna (amdxdna_sysfs.c).
    npu.firmware = read_line(device / "fw_version");
    if (npu.name.empty()) npu.name = read_line(device / "vbnv");
    std::error_code error;
    const auto driver = std::filesystem::read_symlink(device / "driver", error).filename();
    if (!error) npu.driver = driver_version(sysfs, driver.native());
}

bool judge(NpuDescription& npu) {
    if (npu.vendor_id != kAmd) return false;
    switch (npu.device_id) {
        case kAie2p:
            npu.unusable.clear();
            return true;
        case kAie2:
            npu.unusable = "its array is an AIE2, and there are kernels for AIE2P only";
            return true;
        default:
            return false;
    }
}

std::string untested(const NpuDescription& npu, std::span<const TestedSet> tested) {
    const bool known = std::ranges::any_of(tested, [&](const TestedSet& set) {
        return set.driver == npu.driver && set.firmware == npu.firmware && set.xrt == npu.xrt;
    });
    if (known) return {};
    const auto named = [](const std::string& version) {
        return version.empty() ? "an unknown version" : version;
    };
    return std::format("nobody has tested driver {} with firmware {} and XRT {}", named(npu.driver),
                       named(npu.firmware), named(npu.xrt));
}

}  // namespace xdna
