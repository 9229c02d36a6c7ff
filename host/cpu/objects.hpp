// SPDX-License-Identifier: MIT
//
// What the five handles of the provider contract are here.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cpu/lane.hpp"
#include "cpu/memory.hpp"
#include "cpu/plan.hpp"
#include "provider/provider.hpp"

namespace cpu {

class ContextObject final : public provider::Context {
 public:
    explicit ContextObject(std::shared_ptr<Lane> lane) : lane_(std::move(lane)) {}

    [[nodiscard]] Lane& lane() const { return *lane_; }
    [[nodiscard]] bool childless() const { return (buffers | programs | queues | events) == 0; }

    // Live children, for the limits of the device. Calls for one context do not overlap.
    std::uint32_t buffers = 0;
    std::uint32_t programs = 0;
    std::uint32_t queues = 0;
    std::uint32_t events = 0;

 private:
    std::shared_ptr<Lane> lane_;  // shared with the provider, which stops it if we are leaked
};

struct BufferObject final : provider::Buffer {
    BufferObject(ContextObject& owner, const provider::AllocationInfo& allocation)
        : context(owner),
          memory(allocation.allocation_bytes, allocation.alignment),
          about(allocation) {}

    [[nodiscard]] const provider::AllocationInfo& info() const override { return about; }

    ContextObject& context;
    Memory memory;
    provider::AllocationInfo about;
};

struct ProgramObject final : provider::Program {
    explicit ProgramObject(ContextObject& owner) : context(owner) {}

    ContextObject& context;
    std::vector<std::byte> artifact;  // the plan's constants point into it
    Plan plan;
    // One of each is enough: a context runs one job at a time.
    Memory arena;
    Memory scratch;  // of each thread
};

struct QueueObject final : provider::Queue {
    explicit QueueObject(ContextObject& owner) : context(owner) {}

    ContextObject& context;
};

struct EventObject final : provider::Event {
    EventObject(ContextObject& owner, const Plan& plan, std::vector<std::byte*> slots,
                std::byte* arena, const Scratch& scratch, std::uint64_t deadline)
        : context(owner), job(plan, std::move(slots), arena, scratch, deadline) {}

    ContextObject& context;
    Job job;
};

}  // namespace cpu
