// SPDX-License-Identifier: MIT
//
// The device behind the transport, as the transport sees it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vhost/ring.hpp"
#include "wire/chain.hpp"

namespace vhost {

// What is offered to the front end and the guest; constant for one connection.
struct Profile {
    std::uint64_t features = 0;     // virtio feature bits
    std::vector<std::byte> config;  // the configuration space
    std::uint16_t max_chain_descriptors = 0;
};

// Called by one thread at a time.
class Handler {
 public:
    virtual ~Handler() = default;

    // Serves one command and returns how many bytes at the start of the writable
    // pieces were written: at most as many as there are.
    [[nodiscard]] virtual std::uint32_t process(const wire::Chain& chain) noexcept = 0;

    // The guest has reset the device: nothing that it created may live on.
    virtual void reset() noexcept = 0;
};

// Told what went wrong, and why, so that somebody may log it. The guest can cause
// any number of these.
class Observer {
 public:
    virtual ~Observer() = default;

    virtual void chain_unusable(ChainDefect defect) = 0;
    virtual void ring_stopped(RingFault fault) = 0;
    virtual void message_refused(std::string_view request, std::string_view why) = 0;
};

}  // namespace vhost
