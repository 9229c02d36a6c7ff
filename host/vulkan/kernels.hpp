// SPDX-License-Identifier: MIT
//
// The provider's own shaders. Nothing of a guest's ever reaches a shader compiler: a
// program only picks kernels and the numbers that specialize them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "vulkan/device.hpp"
#include "vulkan/pipeline_cache.hpp"

namespace vulkan {

enum class Kernel : std::uint8_t { Move, Add, Clamp, MatMul };
inline constexpr std::size_t kKernels = 4;

// The SPIR-V that the build made of shaders/*.comp.
[[nodiscard]] std::span<const std::uint32_t> spirv(Kernel kernel);

// How the kernels are laid out on a device; what a plan needs to know of it.
struct Grid {
    std::uint32_t elements = 0;    // length of the storage buffer array
    std::uint32_t workgroup = 0;   // invocations: a square, of which matmul uses the edge
    std::uint32_t edge = 0;        // workgroup = edge * edge
    std::uint32_t max_groups = 0;  // workgroups in one dispatch
    std::uint32_t max_range = 0;   // bytes that one storage buffer binding spans
    std::uint64_t binding_alignment = 4;
};

[[nodiscard]] Grid grid_of(const VkPhysicalDeviceLimits& limits);

inline constexpr std::uint32_t kMostElements = 17;  // 16 bindings and an arena

// Constants 0 (workgroup size) and 1 (elements) are set here, `constants` are 2 and up.
class Kernels {
 public:
    [[nodiscard]] static Result<std::shared_ptr<Kernels>> create(
        std::shared_ptr<Device> device, const std::string& cache_directory);

    [[nodiscard]] Device& device() const { return *device_; }
    [[nodiscard]] const std::shared_ptr<Device>& shared_device() const { return device_; }
    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }
    [[nodiscard]] VkPipelineLayout pipeline_layout() const { return pipeline_layout_.get(); }

    // Thread-safe; the driver compiles here.
    [[nodiscard]] Result<Handle<VkPipeline>> specialize(
        Kernel kernel, std::span<const std::uint32_t> constants) const;

 private:
    explicit Kernels(std::shared_ptr<Device> device)
        : device_(std::move(device)), grid_(grid_of(device_->limits())) {}
    [[nodiscard]] Result<void> create_layouts();
    [[nodiscard]] Result<void> create_modules();

    std::shared_ptr<Device> device_;
    Grid grid_;
    Handle<VkDescriptorSetLayout> set_layout_;
    Handle<VkPipelineLayout> pipeline_layout_;
    PipelineCache cache_;
    std::array<Handle<VkShaderModule>, kKernels> modules_;
};

}  // namespace vulkan
