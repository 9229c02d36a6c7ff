// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vulkan/device.hpp"

namespace vulkan {

// What the driver has compiled, kept in a file for the next process: all of it at the end,
// if there is anything new. A file that cannot be read, is not whole, or is of another device
// or driver is as none, and one that cannot be written is not: no error comes of a file.
//
// It holds code that the device will run, and no checksum says who wrote it. So the directory
// has to be the user's own, and a file that others may write is not read. Nor may processes
// that do not trust each other share one, which is why the daemon's workers have none
// (docs/security.md).
class PipelineCache {
 public:
    static constexpr std::size_t kMostBytes = 64U << 20;  // of a file

    PipelineCache() = default;
    // Without a directory there is no file.
    [[nodiscard]] static Result<PipelineCache> open(Device& device, const std::string& directory);
    PipelineCache(PipelineCache&&) = default;
    PipelineCache& operator=(PipelineCache&&) = default;
    ~PipelineCache();

    [[nodiscard]] VkPipelineCache get() const { return handle_.get(); }

 private:
    void save() const;

    const Device* device_ = nullptr;
    Handle<VkPipelineCache> handle_;
    std::string path_;               // empty: no file
    std::vector<std::byte> stored_;  // what the file has, if it is good
};

// The file for what the driver gave.
[[nodiscard]] std::vector<std::byte> wrap(const PhysicalDevice& device,
                                          std::span<const std::byte> data);
// What the driver gave, in a file for this device and driver; empty if it is anything else.
[[nodiscard]] std::span<const std::byte> unwrap(const PhysicalDevice& device,
                                                std::span<const std::byte> file);

}  // namespace vulkan
