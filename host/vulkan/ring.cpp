// SPDX-License-Identifier: MIT
#include "vulkan/ring.hpp"

#include <algorithm>

namespace vulkan {

Submission::Submission(Commands commands, VkDescriptorSet set)
    : commands_(std::move(commands)), set_(set) {
    held_.reserve(kMostElements);
}

void Submission::hold(std::shared_ptr<const Executable> program, std::span<const Held> held) {
    program_ = std::move(program);
    held_.assign(held.begin(), held.end());
    for (const Held& h : held_)
        h.storage->gate.hold(h.exclusive);
}

void Submission::retire() {
    for (const Held& h : held_)
        h.storage->gate.release(h.exclusive);
    held_.clear();
    program_.reset();
}

Result<Ring> Ring::create(Device& device, VkDescriptorSetLayout layout, std::uint32_t elements,
                          CommandPool& pool) {
    const DeviceApi& api = device.api();
    const VkDescriptorPoolSize size{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                    .descriptorCount = kLength * elements};
    const VkDescriptorPoolCreateInfo pool_info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = kLength,
        .poolSizeCount = 1,
        .pPoolSizes = &size};
    auto sets = device.make(api.CreateDescriptorPool, api.DestroyDescriptorPool, pool_info);
    if (!sets) return std::unexpected(sets.error());

    Ring ring(std::move(*sets));
    ring.submissions_.reserve(kLength);
    for (std::uint32_t i = 0; i < kLength; ++i) {
        auto commands = pool.allocate();
        if (!commands) return std::unexpected(commands.error());
        const VkDescriptorSetAllocateInfo set_info{
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = ring.pool_.get(),
            .descriptorSetCount = 1,
            .pSetLayouts = &layout};
        VkDescriptorSet set = VK_NULL_HANDLE;
        if (const VkResult result = api.AllocateDescriptorSets(device.handle(), &set_info, &set);
            result != VK_SUCCESS)
            return device.fail(result);
        ring.submissions_.emplace_back(std::move(*commands), set);
    }
    return ring;
}

Ring::~Ring() {
    for (Submission& submission : submissions_) {
        if (submission.in_flight() && submission.commands().wait()) submission.retire();
    }
}

Submission* Ring::take() {
    const auto found = std::ranges::find(submissions_, false, &Submission::taken_);
    if (found == submissions_.end()) return nullptr;
    found->taken_ = true;
    return &*found;
}

}  // namespace vulkan
