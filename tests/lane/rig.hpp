// SPDX-License-Identifier: MIT
//
// A lane over a fake runtime, with a clock for its watchdog that only the test moves.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "lane/fake_runtime.hpp"
#include "lane/faulty_runtime.hpp"

namespace dispatch::test {

using provider::EventPhase;
using provider::EventState;

inline constexpr int kRounds = 10'000;
inline constexpr Seconds kLong{1e6};
inline constexpr std::chrono::seconds kWatchdog{120};

// A step that other threads have yet to take.
template <class Condition>
void until(Condition condition) {
    while (!condition())
        std::this_thread::yield();
}

struct Program {
    Gate gate{Gate::kMany};
};

template <class T>
std::shared_ptr<Gate> gate_of(const std::shared_ptr<T>& owner) {
    return {owner, &owner->gate};
}

// What one submission is made of.
struct Operands {
    std::shared_ptr<Buffer> in = std::make_shared<Buffer>();
    std::shared_ptr<Buffer> out = std::make_shared<Buffer>();

    [[nodiscard]] bool in_use() const { return in->gate.in_use() || out->gate.in_use(); }
};

class Rig {
 public:
    explicit Rig(Behaviour behaviour = {})
        : device(std::make_shared<FakeRuntime>(behaviour)),
          faults(std::make_shared<FaultyRuntime>(device)) {
        Options options{.watchdog = kWatchdog, .now = [now = now_] { return now->load(); }};
        auto opened = Lane::open(faults, std::move(options));
        REQUIRE(opened.has_value());
        lane = std::move(*opened);
    }

    std::shared_ptr<FakeRuntime> device;
    std::shared_ptr<FaultyRuntime> faults;
    std::unique_ptr<Lane> lane;
    std::shared_ptr<Program> program = std::make_shared<Program>();

    void pass(Clock::duration time) { *now_ = now_->load() + time; }
    void pass_watchdog() { pass(kWatchdog + std::chrono::nanoseconds(1)); }

    [[nodiscard]] Work work(const Operands& operands, std::uint64_t group = 0) {
        return {std::make_unique<FakeJob>(++names_, group, *operands.in, *operands.out),
                {gate_of(program), gate_of(operands.in), gate_of(operands.out)}};
    }
    [[nodiscard]] Result<Ticket> try_submit(const Operands& operands, std::uint64_t group = 0) {
        return lane->submit(work(operands, group));
    }
    [[nodiscard]] Ticket submit(const Operands& operands, std::uint64_t group = 0) {
        auto ticket = try_submit(operands, group);
        REQUIRE(ticket.has_value());
        return std::move(*ticket);
    }
    [[nodiscard]] std::vector<Ticket> submit_all(const std::vector<Operands>& all) {
        std::vector<Ticket> tickets;
        for (const Operands& operands : all)
            tickets.push_back(submit(operands));
        return tickets;
    }
    [[nodiscard]] bool busy(const Operands& operands) {
        return refused(try_submit(operands), ErrorKind::Busy);
    }
    [[nodiscard]] static bool refused(const Result<Ticket>& result, ErrorKind kind) {
        return !result && result.error().kind == kind;
    }

 private:
    std::shared_ptr<std::atomic<Clock::time_point>> now_ =
        std::make_shared<std::atomic<Clock::time_point>>();
    std::atomic<std::uint64_t> names_ = 0;
};

inline bool complete(const Ticket& ticket) {
    const auto state = ticket.wait(kLong);
    return state && state->phase == EventPhase::Complete;
}

inline bool pending(const Ticket& ticket) {
    const auto state = ticket.poll();
    return state && state->phase == EventPhase::Pending;
}

inline bool failed(const Ticket& ticket, const Error& error) {
    const auto state = ticket.wait(kLong);
    return state && state->phase == EventPhase::Failed && state->error == error;
}

inline bool lost(const Ticket& ticket) {
    const auto state = ticket.poll();
    return !state && state.error().kind == ErrorKind::DeviceLost;
}

}  // namespace dispatch::test
