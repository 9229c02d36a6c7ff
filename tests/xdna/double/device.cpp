// SPDX-License-Identifier: MIT
//
// xrt::device, xrt::hw_context and what stands outside of classes.
#include "xdna/double/device.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <format>
#include <stdexcept>
#include <system_error>

namespace xrt_double {
namespace {

unsigned long number(std::string_view key, std::string_view fallback) {
    const std::lock_guard lock(control().mutex);
    return std::stoul(control().setting(key, fallback));
}

unsigned version_part(std::size_t part) {
    const std::lock_guard lock(control().mutex);
    std::array<unsigned, 3> parts{};
    std::sscanf(control().setting("version", "2.25.0").c_str(), "%u.%u.%u", &parts[0], &parts[1],
                &parts[2]);
    return parts.at(part);
}

std::shared_ptr<xrt_core::device> open_device(unsigned index) {
    control().enter("device");
    if (index >= number("devices", "1"))
        throw std::runtime_error(std::format("Could not open device with index '{}'", index));
    if (index == number("broken", "4294967295"))
        throw std::system_error(EIO, std::system_category(), "XRT double: broken");
    return std::make_shared<xrt_core::device>(index);
}

// As the driver does: no place is left on the array.
void check_room() {
    std::uint64_t alive = 0;
    {
        const std::lock_guard lock(control().mutex);
        alive = control().count("live.hw_context");
    }
    if (alive >= number("contexts", "16"))
        throw std::system_error(static_cast<int>(number("refusal", "22")), std::system_category(),
                                "XRT double: no place for a hardware context");
}

// On a bus where no machine has anything.
std::string address(unsigned index) {
    return std::format("ffff:ff:1f.{}", index);
}

const char* const kPcie = R"({"vendor": "0x1022", "device": "0x17f0", "revision": "0x20"})";

}  // namespace
}  // namespace xrt_double

namespace xrt_core {

void device::enroll(const xrt::uuid& id, const xdna::Spec& spec) {
    const std::lock_guard lock(mutex_);
    specs_.insert_or_assign(id, spec);
}

xdna::Spec device::registered(const xrt::uuid& id) const {
    const std::lock_guard lock(mutex_);
    const auto found = specs_.find(id);
    if (found == specs_.end()) throw std::runtime_error("xclbin is not registered");
    return found->second;
}

}  // namespace xrt_core

namespace xrt {

using xrt_double::control;

device::device(unsigned int index) : handle(xrt_double::open_device(index)) {}
device::~device() = default;

std::any device::get_info_std(info::device what, const xrt::detail::abi&) const {
    control().enter("get_info");
    switch (what) {
        case info::device::name:
            return std::string("XRT double: no NPU");
        case info::device::bdf:
            return xrt_double::address(handle->index());
        case info::device::pcie_info:
            return std::string(xrt_double::kPcie);
        default:
            throw std::runtime_error("XRT double: nothing is known of that");
    }
}

static std::shared_ptr<hw_context_impl> make_context(const device& on, const uuid& xclbin) {
    control().enter("hw_context");
    xrt_double::check_room();
    return std::make_shared<hw_context_impl>(on.get_handle(), xclbin);
}

hw_context::hw_context(const device& on, const uuid& xclbin, access_mode)
    : detail::pimpl<hw_context_impl>(make_context(on, xclbin)) {}
hw_context::~hw_context() = default;

namespace system {
unsigned int enumerate_devices() {
    control().enter("enumerate_devices");
    return static_cast<unsigned>(xrt_double::number("devices", "1"));
}
}  // namespace system

namespace version {
unsigned int major() {
    return xrt_double::version_part(0);
}
unsigned int minor() {
    return xrt_double::version_part(1);
}
unsigned int patch() {
    return xrt_double::version_part(2);
}
}  // namespace version

}  // namespace xrt
