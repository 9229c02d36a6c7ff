// SPDX-License-Identifier: MIT
#include "vulkan/executable.hpp"

namespace vulkan {
// Counted against `resident_bytes`: the arena and the lists. What the driver keeps for a
// pipeline cannot be measured and is not counted.
Result<std::shared_ptr<const Executable>> Executable::create(std::shared_ptr<const Kernels> kernels,
                                                             Transfer& transfer, const Plan& plan,
                                                             std::uint64_t resident_bytes) {
    const std::uint64_t lists =
        sizeof(Executable) + plan.slots.size() * sizeof(provider::Slot) +
        plan.dispatches.size() * (sizeof(Launch) + sizeof(Handle<VkPipeline>));
    if (lists + plan.arena_bytes > resident_bytes) return std::unexpected(ErrorKind::ResourceLimit);

    std::shared_ptr<Executable> made(
        new Executable(std::move(kernels)));  // NOLINT: private constructor
    made->slots_ = plan.slots;
    if (plan.arena_bytes != 0) {
        if (auto filled = made->fill_arena(transfer, plan); !filled)
            return std::unexpected(filled.error());
        if (lists + made->arena_->allocation_bytes() > resident_bytes)
            return std::unexpected(ErrorKind::ResourceLimit);
    }
    if (auto compiled = made->make_launches(plan); !compiled)
        return std::unexpected(compiled.error());
    return made;
}

Result<void> Executable::fill_arena(Transfer& transfer, const Plan& plan) {
    auto arena =
        Storage::allocate(kernels_->shared_device(), MemoryDomain::Device, plan.arena_bytes);
    if (!arena) return std::unexpected(arena.error());
    arena_ = std::move(*arena);
    for (const Upload& upload : plan.uploads) {
        provider::SpanSource source(upload.bytes);
        if (auto written = transfer.write(*arena_, upload.offset, source); !written) return written;
    }
    return {};
}

Result<void> Executable::make_launches(const Plan& plan) {
    auto compiled = compile(*kernels_, plan.dispatches);
    if (!compiled) return std::unexpected(compiled.error());
    pipelines_ = std::move(compiled->distinct);
    launches_.reserve(plan.dispatches.size());
    for (std::size_t i = 0; i < plan.dispatches.size(); ++i)
        launches_.push_back({.pipeline = pipelines_[compiled->of_dispatch[i]].get(),
                             .groups = plan.dispatches[i].groups,
                             .barrier_before = plan.dispatches[i].barrier_before});
    return {};
}

void Executable::record(Commands& commands, VkDescriptorSet set) const {
    const DeviceApi& api = kernels_->device().api();
    const VkCommandBuffer buffer = commands.buffer();
    api.CmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernels_->pipeline_layout(),
                              0, 1, &set, 0, nullptr);
    for (const Launch& launch : launches_) {
        if (launch.barrier_before)
            commands.barrier({.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                              .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                              .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                              .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                              .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                                               VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT});
        api.CmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, launch.pipeline);
        api.CmdDispatch(buffer, launch.groups, 1, 1);
    }
}

}  // namespace vulkan
