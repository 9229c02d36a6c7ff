// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "engine/report.hpp"
#include "engine/task.hpp"
#include "wire/frame.hpp"

namespace engine {

class Device;

// The owner's name for a chain that is being served.
using Ticket = std::uint64_t;

// A provider call that was taken out of the engine. It is run once, on any thread,
// and then given back with Engine::finish() on the engine's thread. Until then its
// chain stays mapped.
class Work {
 public:
    void run() noexcept { task_.run_call(); }

    [[nodiscard]] Ticket ticket() const { return ticket_; }
    // Bytes that it moves between the chain and the provider; 0 if it only manages
    // objects, of which loading a program can take long.
    [[nodiscard]] std::uint64_t transfer_bytes() const { return transfer_bytes_; }

 private:
    friend class Device;
    Work(Task task, Ticket ticket, const Origin& origin, std::uint64_t transfer_bytes,
         const wire::Writer& response)
        : task_(std::move(task)),
          ticket_(ticket),
          origin_(origin),
          transfer_bytes_(transfer_bytes),
          response_(response) {}

    Task task_;
    Ticket ticket_;
    Origin origin_;
    std::uint64_t transfer_bytes_;
    wire::Writer response_;
};

// The owner of an engine, as the engine sees it. Called from within serve() and
// finish(), and may not call the engine back.
class Host {
 public:
    virtual ~Host() = default;

    // The chain is answered with this used length: initialised bytes at the start of
    // the writable pieces, 0 for an unusable chain.
    virtual void complete(Ticket ticket, std::uint32_t used) = 0;

    // Comes before the answer of such a command.
    virtual void refused(const Refusal&) {}

    // To be run, and given back.
    virtual void start(Work work) = 0;
};

}  // namespace engine
