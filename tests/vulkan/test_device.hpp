// SPDX-License-Identifier: MIT
//
// Which Vulkan device tests use, and how to keep it from going on.
#pragma once

#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include "vulkan/commands.hpp"
#include "vulkan/vulkan.hpp"

namespace vulkan::test {

// What a driver and a layer keep in static storage looks leaked once they are unloaded with
// the last instance, so they stay. Where they are not installed, this does nothing.
inline const std::array kPinned{
    dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_NODELETE),
    dlopen("libVkLayer_khronos_validation.so", RTLD_NOW | RTLD_NODELETE),
};

// Sanitizers take several times as long for what they do not look into: drivers, layers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// The software device by default: it is in every build root.
inline std::string device_name() {
    const char* chosen = std::getenv("VULKAN_DEVICE");
    return chosen && *chosen ? chosen : "llvmpipe";
}

// Empty for the system's. The whole suite runs behind the shim too (limits_test.cpp).
inline std::string loader_name() {
    const char* chosen = std::getenv("VULKAN_LOADER");
    return chosen ? chosen : "";
}

// Device cases are skipped without a device, unless that is said to be an error.
inline bool required() {
    const char* said = std::getenv("VIRTIO_ACCEL_VULKAN_REQUIRE_DEVICE");
    return said && std::string_view(said) == "1";
}
inline bool skipped() {
    return !required() && !choose(Options{.name = device_name()});
}

// Keeps the device's queue from starting anything submitted after it, until let go: what
// is submitted meanwhile is surely pending.
class QueueHold {
 public:
    explicit QueueHold(Device& device)
        : device_(device), pool_(*CommandPool::create(device)), commands_(*pool_.allocate()) {
        const VkSemaphoreTypeCreateInfo timeline{
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
        const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                         .pNext = &timeline};
        const auto create = function<PFN_vkCreateSemaphore>("vkCreateSemaphore");
        must(create(device.handle(), &info, nullptr, &semaphore_) == VK_SUCCESS);

        // The wait holds only its own batch; the barrier in that batch, whatever follows.
        constexpr auto kAll = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        must(commands_.begin().has_value());
        commands_.barrier({.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                           .srcStageMask = kAll,
                           .dstStageMask = kAll});
        must(commands_.end().has_value());
        must(
            commands_.submit(VkSemaphoreSubmitInfo{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                                   .semaphore = semaphore_,
                                                   .value = 1,
                                                   .stageMask = kAll}) == VK_SUCCESS);
    }
    ~QueueHold() {
        let_go();
        must(commands_.wait().has_value());
        function<PFN_vkDestroySemaphore>("vkDestroySemaphore")(device_.handle(), semaphore_,
                                                               nullptr);
    }
    QueueHold(const QueueHold&) = delete;
    QueueHold& operator=(const QueueHold&) = delete;

    void let_go() {
        if (std::exchange(open_, true)) return;
        const VkSemaphoreSignalInfo info{
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore_, .value = 1};
        const auto signal = function<PFN_vkSignalSemaphore>("vkSignalSemaphore");
        must(signal(device_.handle(), &info) == VK_SUCCESS);
    }

 private:
    // In the destructor, the end of the process.
    static void must(bool holds) {
        if (!holds) throw std::runtime_error("the device cannot be held");
    }
    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(
            device_.instance().api().GetDeviceProcAddr(device_.handle(), name));
    }

    Device& device_;
    CommandPool pool_;
    Commands commands_;
    VkSemaphore semaphore_ = VK_NULL_HANDLE;
    bool open_ = false;
};

}  // namespace vulkan::test
