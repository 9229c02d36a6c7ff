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

// Of "0x" and hexadecimal digits; 0 for anything else.
std::uint32_t number(std::string_view text) {
    std::uint32_t value = 0;
    if (!text.starts_with("0x")) return 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + 2, end, value, 16);
    return error == std::errc() && rest == end ? value : 0;
}

// The value of a key that occurs once, between quotes like all of what XRT writes.
std::string_view value_of(std::string_view json, std::string_view key) {
    const auto quoted = std::format("\"{}\"", key);
    const auto at = json.find(quoted);
    if (at == std::string_view::npos) return {};
    json.remove_prefix(at + quoted.size());
    const auto begin = json.find('"');
    if (begin == std::string_view::npos) return {};
    json.remove_prefix(begin + 1);
    return json.substr(0, json.find('"'));
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

void read_pcie_info(std::string_view json, NpuDescription& npu) {
    npu.vendor_id = number(value_of(json, "vendor"));
    npu.device_id = number(value_of(json, "device"));
    npu.revision = number(value_of(json, "revision"));
}

void read_sysfs(const std::filesystem::path& sysfs, NpuDescription& npu) {
    const auto device = sysfs / "bus/pci/devices" / npu.address;
    if (npu.vendor_id == 0) {
        npu.vendor_id = number(read_line(device / "vendor"));
        npu.device_id = number(read_line(device / "device"));
        npu.revision = number(read_line(device / "revision"));
    }
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
