// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "vulkan/device.hpp"

namespace vulkan {

// How long the host waits for work that it cannot go on without: a staged transfer, or
// what is still in flight at teardown. A device that takes longer counts as lost.
inline constexpr std::chrono::nanoseconds kPatience = std::chrono::seconds(30);

// A command buffer and the fence of its latest submission. The pool that it comes from
// must outlive it.
class Commands {
 public:
    Commands(Device& device, VkCommandBuffer buffer, Handle<VkFence> fence)
        : device_(&device), buffer_(buffer), fence_(std::move(fence)) {}

    [[nodiscard]] VkCommandBuffer buffer() const { return buffer_; }

    // Starts over. What was submitted before must have ended.
    [[nodiscard]] Result<void> begin();

    // Makes what was recorded so far visible to whatever the queue does next.
    void barrier(const VkMemoryBarrier2& barrier);

    // Ends the recording so that later commands and the host see its effects. Every
    // recording of ours ends so, hence none has to begin with a barrier.
    [[nodiscard]] Result<void> end();

    // After end(); the work starts when the semaphore allows, if one is given.
    // VK_ERROR_DEVICE_LOST leaves it open whether the work was accepted.
    [[nodiscard]] VkResult submit(const std::optional<VkSemaphoreSubmitInfo>& wait = {}) {
        return device_->submit(buffer_, fence_.get(), wait);
    }

    [[nodiscard]] VkResult status() const {
        return device_->api().GetFenceStatus(device_->handle(), fence_.get());
    }

    // Abandons the device when the work does not end in time, or cannot be waited for.
    [[nodiscard]] Result<void> wait();

 private:
    Device* device_;
    VkCommandBuffer buffer_;
    Handle<VkFence> fence_;
};

// Used by one thread at a time, with all its commands.
class CommandPool {
 public:
    [[nodiscard]] static Result<CommandPool> create(Device& device);
    [[nodiscard]] Result<Commands> allocate();

 private:
    CommandPool(Device& device, Handle<VkCommandPool> pool)
        : device_(&device), pool_(std::move(pool)) {}

    Device* device_;
    Handle<VkCommandPool> pool_;
};

}  // namespace vulkan
