// SPDX-License-Identifier: MIT
#include "info.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace accelctl {

namespace {

// PCI vendor numbers, and above 0x10000 the ones that Khronos gives to vendors
// without one.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 15> kVendors{{
    {0x1002, "AMD"},
    {0x1010, "Imagination"},
    {0x1022, "AMD"},
    {0x106B, "Apple"},
    {0x10DE, "NVIDIA"},
    {0x13B5, "Arm"},
    {0x1414, "Microsoft"},
    {0x14E4, "Broadcom"},
    {0x15AD, "VMware"},
    {0x1AE0, "Google"},
    {0x1AF4, "Red Hat"},
    {0x5143, "Qualcomm"},
    {0x8086, "Intel"},
    {0x10002, "VeriSilicon"},
    {0x10005, "Mesa"},
}};

std::string class_name(accel::DeviceClass device_class) {
    switch (device_class) {
        case accel::DeviceClass::Other:
            return "accelerator";
        case accel::DeviceClass::Npu:
            return "NPU";
        case accel::DeviceClass::Gpu:
            return "GPU";
        case accel::DeviceClass::Dsp:
            return "DSP";
    }
    return fmt::format("accelerator of class {}", std::to_underlying(device_class));
}

// "Mesa GPU (10005:0000)"
std::string name(const accel::DeviceInfo& info) {
    const auto* vendor =
        std::ranges::find(kVendors, info.vendor_id, [](const auto& entry) { return entry.first; });
    std::string name;
    if (vendor != kVendors.end()) name = fmt::format("{} ", vendor->second);
    name += class_name(info.device_class);
    if (info.vendor_id == 0) return name + " (vendor unspecified)";
    return name + fmt::format(" ({:04x}:{:04x})", info.vendor_id, info.device_id);
}

std::string uuid_text(const std::array<std::uint8_t, 16>& uuid) {
    std::string text;
    for (std::size_t i = 0; i < uuid.size(); ++i)
        text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    return text;
}

std::string capabilities(const accel::DeviceInfo& info) {
    using enum accel::Capability;
    constexpr std::array<std::pair<accel::Capability, std::string_view>, 4> kNames{{
        {HostVisibleMemory, "host memory"},
        {DeviceLocalMemory, "device memory"},
        {SharedMemory, "shared memory"},
        {EventCancellation, "cancellation"},
    }};
    std::vector<std::string> names;
    std::uint64_t unnamed = info.capabilities;
    for (const auto& [capability, name] : kNames) {
        if (info.has(capability)) names.emplace_back(name);
        unnamed &= ~std::to_underlying(capability);
    }
    if (unnamed != 0) names.push_back(fmt::format("{:#x}", unnamed));
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string describe(std::string_view path, const accel::DeviceInfo& info) {
    return fmt::format(
        "{}: {}\n"
        "  uuid          {}\n"
        "  protocol      {}.{}\n"
        "  capabilities  {}\n"
        "  contexts      {}\n"
        "  per context   {} buffers, {} programs, {} queues, {} events\n"
        "  submission    {} bindings\n"
        "  buffer        {} bytes\n"
        "  program       {} bytes\n",
        path, name(info), uuid_text(info.uuid), info.protocol_major, info.protocol_minor,
        capabilities(info), info.max_contexts, info.max_buffers_per_context,
        info.max_programs_per_context, info.max_queues_per_context, info.max_events_per_context,
        info.max_bindings_per_submission, info.max_buffer_bytes, info.max_artifact_bytes);
}

}  // namespace accelctl
