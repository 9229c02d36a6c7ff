// SPDX-License-Identifier: MIT
#include "driver/device.hpp"

namespace driver {

Device::Device(std::unique_ptr<provider::Provider> provider)
    : Device(std::move(provider), Options{}) {}

Device::Device(std::unique_ptr<provider::Provider> provider, const Options& options)
    : config_(options.config),
      engine_(
          engine::Engine::create(options.config, std::move(provider), options.policy, name_space_)
              .value()) {}

void Device::start(const SharedMemory& memory, const RingMemory& ring, std::uint16_t index) {
    fault_.reset();
    ring_.emplace(
        vhost::RingView::locate(memory.device_side(), ring.size(), ring.addresses()).value(), index,
        *ring_state_);
}

engine::ResetReport Device::reset() {
    stop();
    return engine_.reset(++name_space_).value();
}

std::size_t Device::service(std::size_t budget) {
    std::size_t served = 0;
    for (; served < budget && take(chain_); ++served)
        complete(chain_, execute(chain_));
    return served;
}

bool Device::take(vhost::DescriptorChain& chain) {
    if (!ring_ || fault_) return false;
    const auto popped = ring_->pop(chain, config_.max_chain_descriptors);
    if (!popped) fault_ = popped.error();
    return popped.value_or(false);
}

std::uint32_t Device::execute(const vhost::DescriptorChain& chain) {
    return chain.defect() ? 0 : engine_.process(chain.pieces());
}

void Device::complete(const vhost::DescriptorChain& chain, std::uint32_t used) {
    if (const auto done = ring_->complete(chain, used); !done) {
        fault_ = done.error();
    } else {
        ++(ring_->interrupt_wanted() ? interrupts_ : suppressed_);
    }
}

}  // namespace driver
