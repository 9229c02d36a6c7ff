// SPDX-License-Identifier: MIT
#include "vulkan/objects.hpp"

namespace vulkan {

Result<std::shared_ptr<ContextState>> ContextState::create(std::shared_ptr<Kernels> kernels) {
    Device& device = kernels->device();
    auto pool = CommandPool::create(device);
    if (!pool) return std::unexpected(pool.error());
    bool staged = false;
    for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device, MemoryDomain::Shared})
        staged = staged || (device.memory(domain) && !device.memory(domain)->mapped);
    auto transfer = Transfer::create(kernels->shared_device(), *pool, staged);
    if (!transfer) return std::unexpected(transfer.error());
    auto ring = Ring::create(device, kernels->set_layout(), kernels->grid().elements, *pool);
    if (!ring) return std::unexpected(ring.error());
    return std::make_shared<ContextState>(std::move(kernels), std::move(*pool),
                                          std::move(*transfer), std::move(*ring));
}

}  // namespace vulkan
