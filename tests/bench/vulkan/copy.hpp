// SPDX-License-Identifier: MIT
//
// What the device itself takes to copy: vkCmdCopyBuffer, through the queue that the
// provider uses. The programs that only move bytes are held against it.
#pragma once

#include <memory>

#include "vulkan/provider.hpp"

namespace vulkan::bench {

class Copy {
 public:
    // Reads and writes `bytes` bytes in all, or as many as two buffers can have. Must not
    // outlive the provider.
    Copy(VulkanProvider& provider, MemoryDomain domain, double bytes);

    // Recorded anew each time, as the provider records a submission.
    void submit();
    void finish();
    void run() {
        submit();
        finish();
    }

    [[nodiscard]] double bytes() const { return 2 * static_cast<double>(from_->bytes()); }

 private:
    std::shared_ptr<Device> device_;  // not owned
    CommandPool pool_;
    Commands commands_;
    std::shared_ptr<Storage> from_, to_;
};

}  // namespace vulkan::bench
