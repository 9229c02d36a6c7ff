// SPDX-License-Identifier: MIT
#include "vulkan/device.hpp"

#include <format>
#include <vector>

namespace vulkan {
namespace {

constexpr VkMemoryPropertyFlags kVisible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kNeverUsed =
    VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV;

VkMemoryPropertyFlags required(MemoryDomain domain) {
    switch (domain) {
        case MemoryDomain::Host:
            return kVisible;
        case MemoryDomain::Device:
            return kLocal;
        case MemoryDomain::Shared:
            return kVisible | kLocal;
    }
    return 0;
}

// The reasons to prefer one fitting type to another. On a device with one heap all
// memory is equally near, so a Device buffer may as well be mapped.
int score(VkMemoryPropertyFlags flags, MemoryDomain domain, bool map_device) {
    const bool visible = (flags & kVisible) == kVisible;
    const bool cached = (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
    switch (domain) {
        case MemoryDomain::Host:
            return ((flags & kLocal) ? 0 : 2) + (cached ? 1 : 0);
        case MemoryDomain::Device:
            return map_device ? (visible ? 2 : 0) + (cached ? 1 : 0)
                              : ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) ? 0 : 1);
        case MemoryDomain::Shared:
            return cached ? 1 : 0;
    }
    return 0;
}

}  // namespace

std::optional<MemoryChoice> choose_memory(const VkPhysicalDeviceMemoryProperties& memory,
                                          std::uint32_t allowed, MemoryDomain domain,
                                          bool map_device) {
    map_device = map_device && memory.memoryHeapCount == 1;
    std::optional<MemoryChoice> best;
    int best_score = -1;
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
        const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
        const bool fits = ((allowed >> type) & 1U) != 0 && (flags & kNeverUsed) == 0 &&
                          (flags & required(domain)) == required(domain);
        const int points = score(flags, domain, map_device);
        if (!fits || points <= best_score) continue;
        best_score = points;
        best = MemoryChoice{
            .type = type,
            .mapped =
                (flags & kVisible) == kVisible && (domain != MemoryDomain::Device || map_device),
            .device_local = (flags & kLocal) != 0,
        };
    }
    return best;
}

std::expected<std::shared_ptr<Device>, std::string> Device::open(
    std::shared_ptr<const Instance> instance, PhysicalDevice physical, const Options& options) {
    std::shared_ptr<Device> device(
        new Device(std::move(instance), std::move(physical)));  // NOLINT: private constructor
    device->device_lost_ = options.device_lost;
    if (auto connected = device->connect(); !connected) return std::unexpected(connected.error());
    if (auto chosen = device->choose_memory_types(options.map_device_memory); !chosen)
        return std::unexpected(std::format("{} has no memory for buffers (VkResult {})",
                                           device->physical_.description.name,
                                           chosen.error().code));
    return device;
}

std::expected<void, std::string> Device::connect() {
    const bool matrices = physical_.matrices.halves || physical_.matrices.bytes;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
        .cooperativeMatrix = VK_TRUE};
    VkPhysicalDeviceVulkan13Features v13{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = matrices ? &matrix : nullptr,
        .computeFullSubgroups = physical_.subgroup_size != 0,
        .synchronization2 = VK_TRUE,
        .shaderIntegerDotProduct = physical_.integer_dot_product};
    VkPhysicalDeviceVulkan12Features v12{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &v13,
        .shaderFloat16 = physical_.matrices.halves.has_value(),
        .shaderInt8 = physical_.matrices.bytes.has_value(),
        .timelineSemaphore = physical_.timeline_semaphore,
        .bufferDeviceAddress = physical_.buffer_device_address,
        .vulkanMemoryModel = matrices};
    const float priority = 1.0F;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = physical_.queue_family,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};

    std::vector<const char*> extensions;
    if (physical_.portability_subset) extensions.push_back(kPortabilitySubset);
    if (matrices) extensions.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    const VkDeviceCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &v12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
        .ppEnabledExtensionNames = extensions.data()};
    const InstanceApi& instance = instance_->api();
    VkDevice made = VK_NULL_HANDLE;
    if (const VkResult result = instance.CreateDevice(physical_.handle, &info, nullptr, &made);
        result != VK_SUCCESS)
        return std::unexpected(std::format("{} cannot be opened (VkResult {})",
                                           physical_.description.name, static_cast<int>(result)));
    handle_ = made;
    if (!load(instance.GetDeviceProcAddr, handle_, api_))
        return std::unexpected(physical_.description.name + " lacks functions of Vulkan 1.3");
    api_.GetDeviceQueue(handle_, physical_.queue_family, 0, &queue_);
    return {};
}

Result<void> Device::choose_memory_types(bool map_device_memory) {
    const VkBufferCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4, .usage = buffer_usage()};
    auto probe = make(api_.CreateBuffer, api_.DestroyBuffer, info);
    if (!probe) return std::unexpected(probe.error());
    VkMemoryRequirements requirements{};
    api_.GetBufferMemoryRequirements(handle_, probe->get(), &requirements);
    for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device, MemoryDomain::Shared})
        memory_[static_cast<std::size_t>(domain)] =
            choose_memory(physical_.memory, requirements.memoryTypeBits, domain, map_device_memory);
    if (!memory(MemoryDomain::Host) || !memory(MemoryDomain::Device))
        return fail(VK_ERROR_FEATURE_NOT_PRESENT);
    return {};
}

VkResult Device::submit(VkCommandBuffer commands, VkFence fence,
                        const std::optional<VkSemaphoreSubmitInfo>& wait) {
    const VkCommandBufferSubmitInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                           .commandBuffer = commands};
    const VkSubmitInfo2 info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                             .waitSemaphoreInfoCount = wait ? 1U : 0U,
                             .pWaitSemaphoreInfos = wait ? &*wait : nullptr,
                             .commandBufferInfoCount = 1,
                             .pCommandBufferInfos = &buffer};
    const std::scoped_lock lock(queue_mutex_);
    return api_.QueueSubmit2(queue_, 1, &info, fence);
}

Error Device::error(VkResult result) {
    switch (result) {
        case VK_ERROR_DEVICE_LOST:
            lose(false);
            return ErrorKind::DeviceLost;
        case VK_ERROR_OUT_OF_HOST_MEMORY:
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        case VK_ERROR_MEMORY_MAP_FAILED:  // no address space for it
        case VK_ERROR_FRAGMENTATION:
            return ErrorKind::OutOfMemory;
        case VK_ERROR_TOO_MANY_OBJECTS:
        case VK_ERROR_OUT_OF_POOL_MEMORY:
        case VK_ERROR_FRAGMENTED_POOL:

            return ErrorKind::ResourceLimit;
        default:
            return {kErrorDomain, result};
    }
}

void Device::lose(bool wedged) {
    if (!lost_.exchange(true) && device_lost_) device_lost_(wedged);
}

// Every handle of the device is gone by now: whoever owns one also shares the device.
Device::~Device() {
    if (abandoned_) {
        // Its driver goes on running: neither it nor the loader may be unloaded.
        static std::mutex mutex;
        static auto* const kept =  // NOLINT: to outlive everything
            new std::vector<std::shared_ptr<const Instance>>;
        const std::scoped_lock lock(mutex);
        kept->push_back(std::move(instance_));
    } else if (handle_ && api_.DestroyDevice) {
        api_.DestroyDevice(handle_, nullptr);
    }
}

}  // namespace vulkan
