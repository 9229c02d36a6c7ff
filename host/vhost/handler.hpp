// SPDX-License-Identifier: MIT
//
// The device behind the transport, as the transport sees it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vhost/ring.hpp"
#include "vhost/ring_state.hpp"
#include "wire/chain.hpp"

namespace vhost {

// What is offered to the front end and the guest; constant for one connection.
struct Profile {
    std::uint64_t features = 0;     // virtio feature bits
    std::vector<std::byte> config;  // the configuration space
    std::uint16_t max_chain_descriptors = 0;
    RingState* ring_state = nullptr;  // where the ring's is kept, if another process needs it
};

// Names a chain from serve() to its completion.
using Ticket = std::uint64_t;

// Where the answers go.
class Answers {
 public:
    // `used` bytes at the start of the writable pieces were written: at most as many as
    // there are. From here on the pieces are the guest's again.
    virtual void complete(Ticket ticket, std::uint32_t used) = 0;

 protected:
    ~Answers() = default;
};

// Called by one thread at a time.
class Handler {
 public:
    virtual ~Handler() = default;

    // Serves one command, which is answered before this returns or from a later call,
    // in any order. Until then its pieces, and the arrays that list them, stay.
    virtual void serve(Ticket ticket, const wire::Chain& chain, Answers& answers) noexcept = 0;

    // Becomes readable when advance() has something to answer; -1 if nothing is ever
    // left to it.
    [[nodiscard]] virtual int progress_fd() const noexcept { return -1; }
    virtual void advance(Answers&) noexcept {}

    // Answers everything that is being served, waiting for what takes its time.
    virtual void drain(Answers&) noexcept {}

    // The guest has reset the device: nothing that it created may live on. Nothing is
    // being served.
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
