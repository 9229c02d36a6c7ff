// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vulkan/api.hpp"
#include "vulkan/matrices.hpp"
#include "vulkan/vulkan.hpp"

namespace vulkan {

inline constexpr const char* kPortabilitySubset = "VK_KHR_portability_subset";

// What the provider needs to know of a physical device before it opens it.
struct PhysicalDevice {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceLimits limits{};
    std::uint64_t max_allocation_bytes = 0;  // of one buffer, and of one allocation
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::uint32_t driver_version = 0;
    std::array<std::uint8_t, VK_UUID_SIZE> pipeline_cache_uuid{};
    std::uint32_t queue_family = 0;  // computes; of the compute-only ones if there are any
    VkPhysicalDeviceMemoryProperties memory{};
    // Used where there are: to measure how a buffer is aligned, and by the tests, to hold
    // the queue.
    bool buffer_device_address = false;
    bool timeline_semaphore = false;
    bool integer_dot_product = false;
    bool portability_subset = false;  // has to be enabled where it is
    std::uint32_t subgroup_size = 0;  // of full ones, which pipelines may demand; 0: may not
    bool subgroup_shuffle = false;
    MatrixShapes matrices{};  // none without full subgroups
    DeviceDescription description;
};

// The smallest workgroup that the kernels are written for.
inline constexpr std::uint32_t kSmallestWorkgroup = 128;

// A connection to the loader and every driver that it found.
class Instance {
 public:
    using MessageSink = std::function<void(std::string_view)>;

    // Uses the loader and the validation layer that Options describes.
    [[nodiscard]] static std::expected<std::shared_ptr<Instance>, std::string> create(
        const Options& options);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    [[nodiscard]] const InstanceApi& api() const { return api_; }
    [[nodiscard]] std::expected<std::vector<PhysicalDevice>, std::string> devices() const;

 private:
    Instance(Library library, MessageSink on_message)
        : library_(std::move(library)), on_message_(std::move(on_message)) {}
    [[nodiscard]] std::expected<void, std::string> open();
    void watch();

    Library library_;
    MessageSink on_message_;
    InstanceApi api_;
    VkInstance handle_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

// Picks by Options::index or Options::name, else the best that is no software device.
[[nodiscard]] std::expected<PhysicalDevice, std::string> choose(
    const std::vector<PhysicalDevice>& devices, const Options& options);

}  // namespace vulkan
