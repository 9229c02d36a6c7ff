// SPDX-License-Identifier: MIT
//
// What the five handles of the provider contract are here. A run in flight keeps a buffer's
// Storage, a program's Kernel and a queue's gate, so handles may go in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "provider/bindings.hpp"
#include "provider/lane/lane.hpp"
#include "provider/provider.hpp"
#include "xdna/hardware.hpp"
#include "xdna/quarantine.hpp"

namespace xdna {

struct Storage {
    Storage(std::shared_ptr<Memory> m, std::shared_ptr<Quarantine> quarantine)
        : memory(std::move(m), std::move(quarantine)) {}

    const Native<Memory> memory;
    dispatch::Gate gate;
};

struct Kernel {
    Kernel(std::shared_ptr<Context> c, std::shared_ptr<Executable> e, std::vector<provider::Slot> s,
           std::shared_ptr<Quarantine> quarantine)
        : context(std::move(c)),
          executable(std::move(e), std::move(quarantine)),
          slots(std::move(s)) {}

    const std::shared_ptr<Context> context;  // in use in its pool
    const Native<Executable> executable;
    const std::vector<provider::Slot> slots;
    dispatch::Gate gate{dispatch::Gate::kMany};
};

// Live children, for the limits of the device. Calls for one context do not overlap.
struct ContextObject final : provider::Context {
    std::uint32_t buffers = 0;
    std::uint32_t programs = 0;
    std::uint32_t queues = 0;
    std::uint32_t events = 0;

    [[nodiscard]] bool childless() const { return (buffers | programs | queues | events) == 0; }
};

struct BufferObject final : provider::Buffer {
    BufferObject(ContextObject& owner, std::shared_ptr<Storage> s,
                 const provider::AllocationInfo& a)
        : context(owner), storage(std::move(s)), about(a) {}
    [[nodiscard]] const provider::AllocationInfo& info() const override { return about; }

    ContextObject& context;
    const std::shared_ptr<Storage> storage;
    const provider::AllocationInfo about;
};

struct ProgramObject final : provider::Program {
    ProgramObject(ContextObject& owner, std::shared_ptr<Kernel> k)
        : context(owner), kernel(std::move(k)) {}

    ContextObject& context;
    const std::shared_ptr<Kernel> kernel;
};

// A name to submit under: all feed the one lane.
struct QueueObject final : provider::Queue {
    explicit QueueObject(ContextObject& owner) : context(owner) {}

    ContextObject& context;
    const std::shared_ptr<dispatch::Gate> gate =
        std::make_shared<dispatch::Gate>(dispatch::Gate::kMany);
};

struct EventObject final : provider::Event {
    explicit EventObject(ContextObject& owner) : context(owner) {}

    ContextObject& context;
    std::optional<dispatch::Ticket> ticket;  // there once the lane has accepted
};

}  // namespace xdna
