// SPDX-License-Identifier: MIT
#include "vulkan/kernels.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace vulkan {

namespace {

// A software device is faster at INT8 without them (docs/performance.md).
MatrixShapes usable_matrices(const PhysicalDevice& device, bool full_subgroups) {
    MatrixShapes usable = full_subgroups ? device.matrices : MatrixShapes{};
    if (device.description.type == DeviceType::Cpu) usable.bytes.reset();
    return usable;
}

VkPipelineShaderStageCreateFlags stage_flags(Feature feature) {
    if (feature != Feature::FullSubgroups) return 0;
    return VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
}

}  // namespace

Grid grid_of(const PhysicalDevice& device) {
    const VkPhysicalDeviceLimits& limits = device.limits;
    const bool large =
        limits.maxComputeWorkGroupInvocations >= 256 && limits.maxComputeWorkGroupSize[0] >= 256;
    const std::uint32_t edge = large ? 16 : 8;
    const bool full = device.subgroup_size != 0 && edge * edge % device.subgroup_size == 0;
    return {
        .elements = std::min({limits.maxPerStageDescriptorStorageBuffers,
                              limits.maxDescriptorSetStorageBuffers, kMostElements}),
        .workgroup = edge * edge,
        .edge = edge,
        .max_groups = limits.maxComputeWorkGroupCount[0],
        .max_range = limits.maxStorageBufferRange & ~3U,
        .binding_alignment = std::max<std::uint64_t>(4, limits.minStorageBufferOffsetAlignment),
        .integer_dot = device.integer_dot_product,
        .subgroups = full && device.subgroup_shuffle,
        .subgroup_size = device.subgroup_size,
        .shared_bytes = limits.maxComputeSharedMemorySize,
        .matrices = usable_matrices(device, full),
    };
}

Result<std::shared_ptr<Kernels>> Kernels::create(std::shared_ptr<Device> device,
                                                 const std::string& cache_directory) {
    const Grid grid = grid_of(device->physical());
    return create(std::move(device), cache_directory, grid);
}

Result<std::shared_ptr<Kernels>> Kernels::create(std::shared_ptr<Device> device,
                                                 const std::string& cache_directory,
                                                 const Grid& grid) {
    std::shared_ptr<Kernels> kernels(
        new Kernels(std::move(device), grid));  // NOLINT: private constructor
    auto cache = PipelineCache::open(kernels->device(), cache_directory);
    if (!cache) return std::unexpected(cache.error());
    kernels->cache_ = std::move(*cache);
    if (auto made = kernels->create_layouts(); !made) return std::unexpected(made.error());
    return kernels;
}

Result<void> Kernels::create_layouts() {
    const DeviceApi& api = device_->api();
    const VkDescriptorSetLayoutBinding storage{.binding = 0,
                                               .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                               .descriptorCount = grid_.elements,
                                               .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set_info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &storage};
    auto set_layout =
        device_->make(api.CreateDescriptorSetLayout, api.DestroyDescriptorSetLayout, set_info);
    if (!set_layout) return std::unexpected(set_layout.error());
    set_layout_ = std::move(*set_layout);

    const VkDescriptorSetLayout set = set_layout_.get();
    const VkPipelineLayoutCreateInfo layout_info{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set};
    auto layout = device_->make(api.CreatePipelineLayout, api.DestroyPipelineLayout, layout_info);
    if (!layout) return std::unexpected(layout.error());
    pipeline_layout_ = std::move(*layout);
    return {};
}

Result<VkShaderModule> Kernels::module(std::size_t code) const {
    const std::scoped_lock lock(modules_mutex_);
    Handle<VkShaderModule>& kept = modules_[code];
    if (kept.get()) return kept.get();
    const auto spirv = every_code()[code].spirv;
    const VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .codeSize = spirv.size_bytes(),
                                        .pCode = spirv.data()};
    const DeviceApi& api = device_->api();
    auto made = device_->make(api.CreateShaderModule, api.DestroyShaderModule, info);
    if (!made) return std::unexpected(made.error());
    kept = std::move(*made);
    return kept.get();
}

Result<Handle<VkPipeline>> Kernels::specialize(const Variant& variant,
                                               std::span<const std::uint32_t> constants) const {
    std::vector<std::uint32_t> values{grid_.workgroup, grid_.elements};
    values.insert(values.end(), constants.begin(), constants.end());
    std::vector<VkSpecializationMapEntry> entries;
    for (std::uint32_t id = 0; id < values.size(); ++id)
        entries.push_back({.constantID = id, .offset = id * 4, .size = 4});
    const VkSpecializationInfo specialization{
        .mapEntryCount = static_cast<std::uint32_t>(entries.size()),
        .pMapEntries = entries.data(),
        .dataSize = values.size() * 4,
        .pData = values.data()};

    const auto code = module(code_for(variant));
    if (!code) return std::unexpected(code.error());
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .flags = stage_flags(variant.feature),
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = *code,
                  .pName = "main",
                  .pSpecializationInfo = &specialization},
        .layout = pipeline_layout_.get()};
    const DeviceApi& api = device_->api();
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (const VkResult result = api.CreateComputePipelines(device_->handle(), cache_.get(), 1,
                                                           &info, nullptr, &pipeline);
        result != VK_SUCCESS)
        return device_->fail(result);
    return Handle<VkPipeline>(*device_, api.DestroyPipeline, pipeline);
}

}  // namespace vulkan
