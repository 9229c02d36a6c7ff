// SPDX-License-Identifier: MIT
//
// The library's one way in.
#include <array>
#include <format>
#include <optional>

#include "xdna/xrt/description.hpp"
#include "xdna/xrt/entry.hpp"
#include "xdna/xrt/npu.hpp"

// Not all that has XRT's name has settings.
extern "C" [[gnu::weak]] int xrtIniUintSet(const char* key, unsigned int value);

namespace xdna::native_xrt {

namespace {

// XRT prints a line for some of the errors that it throws too, such as for memory that it
// cannot have, as often as a guest asks for it. What is worse than an error is still printed.
void keep_xrt_from_printing_errors() noexcept {
    constexpr unsigned int kCritical = 2;
    if (xrtIniUintSet) xrtIniUintSet("Runtime.verbosity", kCritical);
}

constexpr std::array<TestedSet, 0> kTested{};

class Installed final : public Xrt {
 public:
    [[nodiscard]] std::string version() const override {
        return native([] {
                   return std::format("{}.{}.{}", xrt::version::major(), xrt::version::minor(),
                                      xrt::version::patch());
               })
            .value_or("");
    }

    [[nodiscard]] std::expected<std::vector<NpuDescription>, std::string> list() override {
        const auto count = native([] { return xrt::system::enumerate_devices(); });
        if (!count) return std::unexpected(count.error().text);
        std::vector<NpuDescription> npus;
        for (std::uint32_t index = 0; index < *count; ++index) {
            auto device = native([&] { return xrt::device(index); });
            if (auto npu = describe(index, device)) npus.push_back(std::move(*npu));
        }
        return npus;
    }

    [[nodiscard]] std::expected<std::shared_ptr<Npu>, std::string> open(
        std::uint32_t index) override {
        auto device = native([&] { return xrt::device(index); });
        auto npu = describe(index, device);
        if (!npu) return std::unexpected("it is no NPU of AMD's");
        if (!npu->unusable.empty()) return std::unexpected(npu->unusable);
        return std::make_shared<Device>(std::move(*device), std::move(*npu));
    }

 private:
    // Nothing for what is no NPU. What does not open may be one.
    [[nodiscard]] std::optional<NpuDescription> describe(
        std::uint32_t index, const std::expected<xrt::device, Failure>& device) const {
        NpuDescription npu;
        npu.index = index;
        npu.xrt = version();
        if (!device) {
            npu.unusable = std::format("XRT cannot open it: {}", device.error().text);
            return npu;
        }
        const auto address = native([&] { return device->get_info<xrt::info::device::bdf>(); });
        if (!address) {
            npu.unusable = std::format("XRT does not say where it is: {}", address.error().text);
            return npu;
        }
        npu.address = *address;
        npu.name = native([&] { return device->get_info<xrt::info::device::name>(); }).value_or("");
        const auto pcie =
            native([&] { return device->get_info<xrt::info::device::pcie_info>(); }).value_or("");
        read_pcie_info(pcie, npu);
        read_sysfs("/sys", npu);
        if (!judge(npu)) return std::nullopt;
        npu.untested = untested(npu, kTested);
        return npu;
    }
};

std::shared_ptr<Xrt> create() noexcept {
    keep_xrt_from_printing_errors();
    try {
        return std::make_shared<Installed>();
    } catch (...) {
        return nullptr;
    }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const Entry virtio_accel_xrt{
    kContract, create};  // NOLINT(readability-identifier-naming): kEntryName

}  // namespace xdna::native_xrt
