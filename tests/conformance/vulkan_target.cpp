// SPDX-License-Identifier: MIT
#include <optional>

#include "conformance/targets.hpp"
#include "conformance/tosa_target.hpp"
#include "vulkan/provider.hpp"
#include "vulkan/test_device.hpp"

namespace conformance {

namespace {

class Vulkan final : public Subject {
 public:
    Vulkan() : vulkan_(vulkan::open({.name = vulkan::test::device_name()}).value()) {}

    [[nodiscard]] provider::Provider& provider() override { return *vulkan_; }
    void hold() override { hold_.emplace(own().device()); }
    void complete(provider::Event& event) override {
        hold_.reset();
        wait(*vulkan_, event);
    }
    // A context with anything in it cannot be destroyed.
    [[nodiscard]] std::optional<std::uint64_t> live_objects() override {
        return own().live_contexts();
    }

 private:
    vulkan::VulkanProvider& own() { return static_cast<vulkan::VulkanProvider&>(*vulkan_); }

    std::unique_ptr<provider::Provider> vulkan_;
    std::optional<vulkan::test::QueueHold> hold_;
};

}  // namespace

std::expected<Target, std::string> vulkan_target() {
    return vulkan::choose({.name = vulkan::test::device_name()}).transform([](const auto&) {
        return tosa_target(
            "vulkan", [] { return std::make_unique<Vulkan>(); }, provider::MemoryDomain::Host);
    });
}

}  // namespace conformance
