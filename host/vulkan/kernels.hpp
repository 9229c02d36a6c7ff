// SPDX-License-Identifier: MIT
//
// The provider's own shaders on a device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "vulkan/code.hpp"
#include "vulkan/device.hpp"
#include "vulkan/pipeline_cache.hpp"

namespace vulkan {

// How the kernels are laid out on a device; what a plan needs to know of it.
struct Grid {
    std::uint32_t elements = 0;    // length of the storage buffer array
    std::uint32_t workgroup = 0;   // invocations: a square, of which gemm uses the edge
    std::uint32_t edge = 0;        // workgroup = edge * edge
    std::uint32_t max_groups = 0;  // workgroups in one dispatch
    std::uint32_t max_range = 0;   // bytes that one storage buffer binding spans
    std::uint64_t binding_alignment = 4;
    bool integer_dot = false;  // the device multiplies and adds four bytes at a time
    bool subgroups = false;    // workgroups are full subgroups, which exchange values
    std::uint32_t subgroup_size = 0;
    std::uint32_t shared_bytes = 0;  // of a workgroup
    MatrixShapes matrices{};

    bool operator==(const Grid&) const = default;
};

[[nodiscard]] Grid grid_of(const PhysicalDevice& device);

inline constexpr std::uint32_t kMostElements = 17;  // 16 bindings and an arena

// Constants 0 (workgroup size) and 1 (elements) are set here, `constants` are 2 and up.
class Kernels {
 public:
    [[nodiscard]] static Result<std::shared_ptr<Kernels>> create(
        std::shared_ptr<Device> device, const std::string& cache_directory);
    // As if the device had this one.
    [[nodiscard]] static Result<std::shared_ptr<Kernels>> create(std::shared_ptr<Device> device,
                                                                 const std::string& cache_directory,
                                                                 const Grid& grid);

    [[nodiscard]] Device& device() const { return *device_; }
    [[nodiscard]] const std::shared_ptr<Device>& shared_device() const { return device_; }
    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }
    [[nodiscard]] VkPipelineLayout pipeline_layout() const { return pipeline_layout_.get(); }

    // Thread-safe; the driver compiles here.
    [[nodiscard]] Result<Handle<VkPipeline>> specialize(
        const Variant& variant, std::span<const std::uint32_t> constants) const;

 private:
    Kernels(std::shared_ptr<Device> device, const Grid& grid)
        : device_(std::move(device)), grid_(grid), modules_(every_code().size()) {}
    [[nodiscard]] Result<void> create_layouts();
    // Made when the first pipeline wants it.
    [[nodiscard]] Result<VkShaderModule> module(std::size_t code) const;

    std::shared_ptr<Device> device_;
    Grid grid_;
    Handle<VkDescriptorSetLayout> set_layout_;
    Handle<VkPipelineLayout> pipeline_layout_;
    PipelineCache cache_;
    mutable std::mutex modules_mutex_;
    mutable std::vector<Handle<VkShaderModule>> modules_;  // of every_code(); by modules_mutex_
};

}  // namespace vulkan
