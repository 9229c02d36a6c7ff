// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "driver/ring_memory.hpp"
#include "driver/shared_memory.hpp"
#include "engine/engine.hpp"
#include "provider/provider.hpp"
#include "vhost/descriptor_chain.hpp"
#include "vhost/ring.hpp"

namespace driver {

// The device's side of one process: the ring of vhost/ over an engine, without the
// sockets and event descriptors that a daemon has around them. Once its scratch has
// grown, serving allocates only what the commands themselves do. One thread at a
// time, which need not be the driver's.
class Device {
 public:
    struct Options {
        wire::Config config{};
        engine::Policy policy{};
    };

    // Throws when the engine refuses the configuration or the provider.
    explicit Device(std::unique_ptr<provider::Provider> provider);
    Device(std::unique_ptr<provider::Provider> provider, const Options& options);

    // Starts on a ring whose indices stand at `index`.
    void start(const SharedMemory& memory, const RingMemory& ring, std::uint16_t index = 0);
    // Afterwards guest memory is not touched any more.
    void stop() { ring_.reset(); }
    // A device reset by the guest: stops the ring, then ends all objects.
    engine::ResetReport reset();

    // Serves up to `budget` chains in ring order and returns how many there were.
    std::size_t service(std::size_t budget = std::numeric_limits<std::size_t>::max());

    // The same in steps, for chains that are held or completed out of order, before the
    // ring stops. take() is false when there is no chain.
    [[nodiscard]] bool take(vhost::DescriptorChain& chain);
    [[nodiscard]] std::uint32_t execute(const vhost::DescriptorChain& chain);
    void complete(const vhost::DescriptorChain& chain, std::uint32_t used);

    // Kicks, as a worker refuses them while it works.
    void refuse_kicks() { ring_->refuse_kicks(); }
    // False when a chain came in meanwhile.
    [[nodiscard]] bool accept_kicks() { return ring_->accept_kicks(); }

    [[nodiscard]] const engine::Engine& engine() const { return engine_; }
    // Why the ring stopped, which only start() mends.
    [[nodiscard]] std::optional<vhost::RingFault> fault() const { return fault_; }
    // The driver is to reset the device (protocol.md 3.8).
    [[nodiscard]] bool needs_reset() const { return engine_.health() != engine::Health::Running; }
    // Completions that the driver wanted to be interrupted for, and those it did not.
    [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }
    [[nodiscard]] std::uint64_t suppressed() const { return suppressed_; }

 private:
    wire::Config config_;
    std::uint16_t name_space_ = 1;  // of the object ids, another one after each reset
    engine::Engine engine_;
    std::unique_ptr<vhost::RingState> ring_state_ = std::make_unique<vhost::RingState>();
    std::optional<vhost::Ring> ring_;
    std::optional<vhost::RingFault> fault_;
    vhost::DescriptorChain chain_;  // of service()
    std::uint64_t interrupts_ = 0;
    std::uint64_t suppressed_ = 0;
};

}  // namespace driver
