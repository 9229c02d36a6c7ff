// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "provider/provider.hpp"
#include "vulkan/instance.hpp"

namespace vulkan {

using provider::Error;
using provider::ErrorKind;
using provider::MemoryDomain;
using provider::Result;

inline constexpr std::uint32_t kErrorDomain = 0x56554C4B;  // "VULK"

// The memory type behind a domain of the contract.
struct MemoryChoice {
    std::uint32_t type = 0;
    bool mapped = false;  // coherent, and mapped for the buffer's life
    bool device_local = false;
};

// The rules of providers.md 3.3: `allowed` is a mask of memory types that a storage
// buffer may use, `map_device` is Options::map_device_memory. None: the device has no
// such domain.
[[nodiscard]] std::optional<MemoryChoice> choose_memory(
    const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, MemoryDomain domain,
    bool map_device);

class Device;

// Owns a child object of a device. The device must outlive it.
template <class T>
class Handle {
 public:
    using Destroy = void(VKAPI_PTR*)(VkDevice, T, const VkAllocationCallbacks*);

    Handle() = default;
    Handle(const Device& device, Destroy destroy, T handle)
        : device_(&device), destroy_(destroy), handle_(handle) {}
    Handle(Handle&& other) noexcept
        : device_(other.device_),
          destroy_(other.destroy_),
          handle_(std::exchange(other.handle_, T{})) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(destroy_, other.destroy_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle();

    [[nodiscard]] T get() const { return handle_; }

 private:
    const Device* device_ = nullptr;
    Destroy destroy_ = nullptr;
    T handle_{};
};

// An open device with one compute queue. Thread-safe.
class Device {
 public:
    [[nodiscard]] static std::expected<std::shared_ptr<Device>, std::string> open(
        std::shared_ptr<const Instance> instance, PhysicalDevice physical, const Options& options);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] VkDevice handle() const { return handle_; }
    [[nodiscard]] const DeviceApi& api() const { return api_; }
    [[nodiscard]] const Instance& instance() const { return *instance_; }
    [[nodiscard]] const PhysicalDevice& physical() const { return physical_; }
    [[nodiscard]] const VkPhysicalDeviceLimits& limits() const { return physical_.limits; }
    [[nodiscard]] std::optional<MemoryChoice> memory(MemoryDomain domain) const {
        return memory_[static_cast<std::size_t>(domain)];
    }

    // What every buffer of ours may be used for. Its address is only asked for its alignment.
    [[nodiscard]] VkBufferUsageFlags buffer_usage() const {
        constexpr VkBufferUsageFlags kAlways = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        return physical_.buffer_device_address ? kAlways | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
                                               : kAlways;
    }

    // Makes a child object: make(api().CreateFence, api().DestroyFence, info).
    template <class T, class Info>
    [[nodiscard]] Result<Handle<T>> make(
        VkResult(VKAPI_PTR* creator)(VkDevice, const Info*, const VkAllocationCallbacks*, T*),
        void(VKAPI_PTR* destroy)(VkDevice, T, const VkAllocationCallbacks*),
        const std::type_identity_t<Info>& info) {
        T made{};
        if (const VkResult result = creator(handle_, &info, nullptr, &made); result != VK_SUCCESS)
            return fail(result);
        return Handle<T>(*this, destroy, made);
    }

    // Hands recorded commands to the queue, to start after `wait` if there is one; the
    // fence is signalled when they are done.
    [[nodiscard]] VkResult submit(VkCommandBuffer commands, VkFence fence,
                                  const std::optional<VkSemaphoreSubmitInfo>& wait);

    // The one place where a native result becomes an error. Loss is latched: the device
    // never comes back.
    [[nodiscard]] Error error(VkResult result);
    [[nodiscard]] std::unexpected<Error> fail(VkResult result) {
        return std::unexpected(error(result));
    }
    [[nodiscard]] bool lost() const { return lost_; }

    // Work that cannot be proven to have ended keeps everything that it may touch: from
    // here on nothing of this device is ever destroyed.
    void abandon() {
        abandoned_ = true;
        lose(true);
    }
    [[nodiscard]] bool abandoned() const { return abandoned_; }

 private:
    Device(std::shared_ptr<const Instance> instance, PhysicalDevice physical)
        : instance_(std::move(instance)), physical_(std::move(physical)) {}
    [[nodiscard]] std::expected<void, std::string> connect();
    [[nodiscard]] Result<void> choose_memory_types(bool map_device_memory);
    void lose(bool wedged);

    std::shared_ptr<const Instance> instance_;
    PhysicalDevice physical_;
    std::function<void(bool wedged)> device_lost_;
    VkDevice handle_ = VK_NULL_HANDLE;
    DeviceApi api_;
    std::mutex queue_mutex_;  // Vulkan wants one caller at a time on a queue
    VkQueue queue_ = VK_NULL_HANDLE;
    std::array<std::optional<MemoryChoice>, 4> memory_;  // by MemoryDomain
    std::atomic<bool> lost_ = false;
    std::atomic<bool> abandoned_ = false;
};

template <class T>
Handle<T>::~Handle() {
    if (handle_ && !device_->abandoned()) destroy_(device_->handle(), handle_, nullptr);
}

}  // namespace vulkan
