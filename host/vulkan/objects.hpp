// SPDX-License-Identifier: MIT
//
// The contract's five kinds of object. Each shares what it stands on, so that the order
// in which the last of them go does not matter:
//
//     event ─┬─> state ──> ring ──> command pools ──> kernels ──> device ──> instance
//            └─> (while in flight, through the ring) executable, storages
#pragma once

#include <chrono>
#include <memory>
#include <new>

#include "provider/provider.hpp"
#include "vulkan/executable.hpp"
#include "vulkan/quota.hpp"
#include "vulkan/ring.hpp"
#include "vulkan/transfer.hpp"

namespace vulkan {

inline constexpr std::uint32_t kContexts = 16;
inline constexpr std::uint32_t kBuffersPerContext = 190;
inline constexpr std::uint32_t kProgramsPerContext = 64;
inline constexpr std::uint32_t kQueuesPerContext = 16;
inline constexpr std::uint32_t kEventsPerContext = Ring::kLength;

// A context may need a staging buffer; a buffer and a program an allocation each. Every
// device allows 4096.
static_assert(kContexts * (kBuffersPerContext + kProgramsPerContext + 1) <= 4096);

// What the objects of one context share.
struct ContextState {
    std::shared_ptr<Kernels> kernels;
    CommandPool transfer_pool;
    CommandPool ring_pool;
    Transfer transfer;
    Ring ring;
    Quota buffers{kBuffersPerContext};
    Quota programs{kProgramsPerContext};
    Quota queues{kQueuesPerContext};
    Quota events{kEventsPerContext};

    [[nodiscard]] static Result<std::shared_ptr<ContextState>> create(
        std::shared_ptr<Kernels> kernels);
    [[nodiscard]] Device& device() const { return kernels->device(); }
    [[nodiscard]] bool has_children() const {
        return buffers.in_use() || programs.in_use() || queues.in_use() || events.in_use();
    }
};

struct Context final : provider::Context {
    Context(std::shared_ptr<ContextState> s, Quota::Share c)
        : state(std::move(s)), counted(std::move(c)) {}
    std::shared_ptr<ContextState> state;
    Quota::Share counted;
};

struct Buffer final : provider::Buffer {
    Buffer(std::shared_ptr<ContextState> s, Quota::Share c, std::shared_ptr<Storage> b,
           const provider::AllocationInfo& i)
        : state(std::move(s)), counted(std::move(c)), storage(std::move(b)), allocation(i) {}
    const provider::AllocationInfo& info() const override { return allocation; }
    std::shared_ptr<ContextState> state;
    Quota::Share counted;
    std::shared_ptr<Storage> storage;
    provider::AllocationInfo allocation;
};

struct Program final : provider::Program {
    Program(std::shared_ptr<ContextState> s, Quota::Share c, std::shared_ptr<const Executable> e)
        : state(std::move(s)), counted(std::move(c)), executable(std::move(e)) {}
    std::shared_ptr<ContextState> state;
    Quota::Share counted;
    std::shared_ptr<const Executable> executable;
    Quota events{kEventsPerContext};
};

// All queues of all contexts feed the one queue of the device: an execution queue is
// only a name to submit under.
struct Queue final : provider::Queue {
    Queue(std::shared_ptr<ContextState> s, Quota::Share c)
        : state(std::move(s)), counted(std::move(c)) {}
    std::shared_ptr<ContextState> state;
    Quota::Share counted;
    Quota events{kEventsPerContext};
};

struct Event final : provider::Event {
    using Clock = std::chrono::steady_clock;

    Event(std::shared_ptr<ContextState> s, Quota::Share by_context, Quota::Share by_queue,
          Quota::Share by_program, Submission& taken)
        : state(std::move(s)),
          counted{std::move(by_context), std::move(by_queue), std::move(by_program)},
          submission(taken) {}
    ~Event() override { Ring::give_back(submission); }

    // In its submission, which its state keeps alive until it is gone.
    static void* operator new(std::size_t, Submission& taken) { return taken.room_for_event(); }
    static void operator delete(void*, Submission&) {}
    static void operator delete(Event* event, std::destroying_delete_t) {
        const auto keeps_its_memory = event->state;
        event->~Event();
    }

    std::shared_ptr<ContextState> state;
    std::array<Quota::Share, 3> counted;
    Submission& submission;
    provider::EventState outcome;  // latched once terminal
    Clock::time_point deadline = Clock::time_point::max();
    bool late = false;  // seen running after its deadline
};
static_assert(sizeof(Event) <= Submission::kEventBytes);

}  // namespace vulkan
