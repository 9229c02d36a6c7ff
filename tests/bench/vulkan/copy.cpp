// SPDX-License-Identifier: MIT
#include "bench/vulkan/copy.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/vulkan/samples.hpp"

namespace vulkan::bench {
namespace {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error("the device cannot copy");
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::uint64_t half(double bytes, const VulkanProvider& provider) {
    return std::min(static_cast<std::uint64_t>(bytes / 2), provider.device_info().max_buffer_bytes);
}

}  // namespace

Copy::Copy(VulkanProvider& provider, MemoryDomain domain, double bytes)
    : device_(std::shared_ptr<void>(), &provider.device()),
      pool_(must(CommandPool::create(*device_))),
      commands_(must(pool_.allocate())),
      from_(must(Storage::allocate(device_, domain, half(bytes, provider)))),
      to_(must(Storage::allocate(device_, domain, half(bytes, provider)))) {
    run();
}

void Copy::submit() {
    const VkBufferCopy whole{.size = from_->bytes()};
    must(commands_.begin());
    device_->api().CmdCopyBuffer(commands_.buffer(), from_->buffer(), to_->buffer(), 1, &whole);
    must(commands_.end());
    if (commands_.submit() != VK_SUCCESS) throw std::runtime_error("a copy was not accepted");
}

void Copy::finish() {
    wait_until([&] {
        const VkResult status = commands_.status();
        if (status < 0) throw std::runtime_error("a copy failed");
        return status == VK_SUCCESS;
    });
}

}  // namespace vulkan::bench
