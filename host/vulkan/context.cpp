// SPDX-License-Identifier: MIT
#include "vulkan/objects.hpp"

namespace vulkan {

Result<std::shared_ptr<ContextState>> ContextState::create(std::shared_ptr<Kernels> kernels) {
    Device& device = kernels->device();
    // A transfer may be recorded while a submission is: a pool is for one thread.
    auto transfer_pool = CommandPool::create(device);
    if (!transfer_pool) return std::unexpected(transfer_pool.error());
    auto ring_pool = CommandPool::create(device);
    if (!ring_pool) return std::unexpected(ring_pool.error());
    bool staged = false;
    for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device, MemoryDomain::Shared})
        staged = staged || (device.memory(domain) && !device.memory(domain)->mapped);
    auto transfer = Transfer::create(kernels->shared_device(), *transfer_pool, staged);
    if (!transfer) return std::unexpected(transfer.error());
    auto ring = Ring::create(device, kernels->set_layout(), kernels->grid().elements, *ring_pool);
    if (!ring) return std::unexpected(ring.error());
    return std::make_shared<ContextState>(std::move(kernels), std::move(*transfer_pool),
                                          std::move(*ring_pool), std::move(*transfer),
                                          std::move(*ring));
}

}  // namespace vulkan
