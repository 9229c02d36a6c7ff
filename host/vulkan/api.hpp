// SPDX-License-Identifier: MIT
//
// The Vulkan entry points that the provider uses, and the library that they come from.
// There is no global loader and no link-time dependency: each level (library,
// instance, device) has its own small table.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vulkan.h>

namespace vulkan {

// clang-format off
#define VULKAN_GLOBAL_FUNCTIONS(F) \
    F(EnumerateInstanceVersion) F(EnumerateInstanceExtensionProperties) \
    F(EnumerateInstanceLayerProperties) F(CreateInstance)

#define VULKAN_INSTANCE_FUNCTIONS(F) \
    F(DestroyInstance) F(EnumeratePhysicalDevices) F(GetPhysicalDeviceProperties2) \
    F(GetPhysicalDeviceFeatures2) F(GetPhysicalDeviceMemoryProperties) \
    F(GetPhysicalDeviceQueueFamilyProperties) F(EnumerateDeviceExtensionProperties) \
    F(CreateDevice) F(GetDeviceProcAddr)

// Of an extension: missing where it is.
#define VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(F) F(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)

#define VULKAN_DEVICE_FUNCTIONS(F) \
    F(DestroyDevice) F(GetDeviceQueue) F(QueueSubmit2) \
    F(AllocateMemory) F(FreeMemory) F(MapMemory) F(CreateBuffer) F(DestroyBuffer) \
    F(GetBufferMemoryRequirements) F(BindBufferMemory) F(GetBufferDeviceAddress) \
    F(CreateFence) F(DestroyFence) F(ResetFences) F(GetFenceStatus) F(WaitForFences) \
    F(CreateCommandPool) F(DestroyCommandPool) F(AllocateCommandBuffers) \
    F(BeginCommandBuffer) F(EndCommandBuffer) F(CmdFillBuffer) F(CmdCopyBuffer) \
    F(CmdPipelineBarrier2) F(CmdBindPipeline) F(CmdBindDescriptorSets) F(CmdDispatch) \
    F(CreateDescriptorSetLayout) F(DestroyDescriptorSetLayout) \
    F(CreateDescriptorPool) F(DestroyDescriptorPool) F(AllocateDescriptorSets) \
    F(UpdateDescriptorSets) F(CreatePipelineLayout) F(DestroyPipelineLayout) \
    F(CreateShaderModule) F(DestroyShaderModule) F(CreatePipelineCache) \
    F(DestroyPipelineCache) F(GetPipelineCacheData) F(CreateComputePipelines) F(DestroyPipeline)
// clang-format on

#define VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
struct GlobalApi {
    VULKAN_GLOBAL_FUNCTIONS(VULKAN_MEMBER)
};
struct InstanceApi {
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_MEMBER)
    VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(VULKAN_MEMBER)
};
struct DeviceApi {
    VULKAN_DEVICE_FUNCTIONS(VULKAN_MEMBER)
};
#undef VULKAN_MEMBER

// The Vulkan loader, open for as long as the object lives.
class Library {
 public:
    // An empty name is the system's.
    [[nodiscard]] static std::expected<Library, std::string> open(const std::string& loader);

    PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
    GlobalApi api;

 private:
    struct Close {
        void operator()(void* handle) const;
    };
    std::unique_ptr<void, Close> handle_;
};

// What a function of two calls lists: one for the number, one for as many. When there are
// more by then, those come another time.
template <class Element, class List>
[[nodiscard]] std::expected<std::vector<Element>, VkResult> enumerate(List list) {
    std::uint32_t count = 0;
    VkResult result = list(&count, static_cast<Element*>(nullptr));
    std::vector<Element> found(count);
    if (result == VK_SUCCESS && count != 0) result = list(&count, found.data());
    if (result < 0) return std::unexpected(result);
    found.resize(count);
    return found;
}

[[nodiscard]] bool has(const std::vector<VkExtensionProperties>& extensions,
                       std::string_view wanted);

// False when a function is missing.
[[nodiscard]] bool load(const Library& library, VkInstance instance, InstanceApi& api);
[[nodiscard]] bool load(PFN_vkGetDeviceProcAddr lookup, VkDevice device, DeviceApi& api);

}  // namespace vulkan
