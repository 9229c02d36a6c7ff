// SPDX-License-Identifier: MIT
#include "vulkan/commands.hpp"

namespace vulkan {

Result<CommandPool> CommandPool::create(Device& device) {
    const DeviceApi& api = device.api();
    const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                       .queueFamilyIndex = device.physical().queue_family};
    return device.make(api.CreateCommandPool, api.DestroyCommandPool, info)
        .transform(
            [&](Handle<VkCommandPool> pool) { return CommandPool(device, std::move(pool)); });
}

Result<Commands> CommandPool::allocate() {
    const DeviceApi& api = device_->api();
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool_.get(),
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    if (const VkResult result = api.AllocateCommandBuffers(device_->handle(), &info, &buffer);
        result != VK_SUCCESS)
        return device_->fail(result);
    const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    return device_->make(api.CreateFence, api.DestroyFence, fence_info)
        .transform(
            [&](Handle<VkFence> fence) { return Commands(*device_, buffer, std::move(fence)); });
}

Result<void> Commands::begin() {
    const DeviceApi& api = device_->api();
    const VkFence fence = fence_.get();
    VkResult result = api.ResetFences(device_->handle(), 1, &fence);
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (result == VK_SUCCESS) result = api.BeginCommandBuffer(buffer_, &info);
    if (result != VK_SUCCESS) return device_->fail(result);
    return {};
}

void Commands::barrier(const VkMemoryBarrier2& barrier) {
    const VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                      .memoryBarrierCount = 1,
                                      .pMemoryBarriers = &barrier};
    device_->api().CmdPipelineBarrier2(buffer_, &dependency);
}

Result<void> Commands::end() {
    barrier({.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
             .srcStageMask =
                 VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
             .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
             .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
                             VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
             .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                              VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_READ_BIT |
                              VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_HOST_READ_BIT |
                              VK_ACCESS_2_HOST_WRITE_BIT});
    if (const VkResult result = device_->api().EndCommandBuffer(buffer_); result != VK_SUCCESS)
        return device_->fail(result);
    return {};
}

Result<void> Commands::wait() {
    if (device_->abandoned()) return device_->fail(VK_ERROR_DEVICE_LOST);
    const VkFence fence = fence_.get();
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    VkResult result = VK_TIMEOUT;
    std::chrono::nanoseconds left = kPatience;
    do {
        result = device_->api().WaitForFences(device_->handle(), 1, &fence, VK_TRUE,
                                              static_cast<std::uint64_t>(left.count()));
        left = give_up - std::chrono::steady_clock::now();
        // Short of memory it has not waited, and the work goes on.
    } while ((result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) &&
             left > left.zero());
    if (result == VK_SUCCESS) return {};
    // A lost device runs nothing any more; anything else leaves the work unaccounted for.
    if (result != VK_ERROR_DEVICE_LOST) device_->abandon();
    return device_->fail(VK_ERROR_DEVICE_LOST);
}

}  // namespace vulkan
