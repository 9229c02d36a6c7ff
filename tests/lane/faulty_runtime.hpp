// SPDX-License-Identifier: MIT
//
// Faults of a runtime, each of one call. They stand between the lane and any runtime, so
// what is built for users has none of this.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <utility>

#include "provider/lane/runtime.hpp"

namespace dispatch::test {

enum class Call : std::uint8_t { None, Start, Wait, Sync };

class FaultyRuntime final : public Runtime {
 public:
    explicit FaultyRuntime(std::shared_ptr<Runtime> healthy) : healthy_(std::move(healthy)) {}

    // Tier 1: the call fails with a definite error, or by throwing.
    void fail(Call call, Error error = ErrorKind::External) {
        arm(call, [error]() -> Result<void> { return std::unexpected(error); });
    }
    void throw_from(Call call) {
        arm(call, []() -> Result<void> { throw std::runtime_error("of a library"); });
    }
    // Tier 2: the call does not return until the test lets it. Then it goes on, or fails.
    void stall(Call call, Result<void> then = {}) {
        arm(call, [this, then] {
            arrived_.release();
            go_.acquire();
            return then;
        });
    }
    // HoldDispatch: a healthy start is late, by `hold` at most. False: not well below the
    // watchdog, so that it could be taken for a stall.
    [[nodiscard]] bool hold_dispatch(std::chrono::nanoseconds hold,
                                     std::chrono::nanoseconds watchdog) {
        if (hold <= hold.zero() || hold > watchdog / 2) return false;
        arm(Call::Start, [this, hold]() -> Result<void> {
            arrived_.release();
            static_cast<void>(go_.try_acquire_for(hold));
            return {};
        });
        return true;
    }
    void wait_for_arrival() { arrived_.acquire(); }
    void let_go() { go_.release(); }

    Contract contract() const override { return healthy_->contract(); }
    Result<void> prepare(Job& job) override { return healthy_->prepare(job); }
    Result<void> start(Job& job) override {
        return strike(Call::Start).and_then([&] { return healthy_->start(job); });
    }
    Result<std::optional<Tick>> position() override { return healthy_->position(); }
    // Strikes when the device is done with the job, as an error that is definite says.
    Result<Progress> wait(Job& job, Tick tick, std::chrono::milliseconds at_most) override {
        return healthy_->wait(job, tick, at_most).and_then([&](Progress progress) {
            const bool spared = progress == Progress::Pending;
            return (spared ? Result<void>() : strike(Call::Wait)).transform([&] {
                return progress;
            });
        });
    }
    Result<void> sync_outputs(Job& job) override {
        return strike(Call::Sync).and_then([&] { return healthy_->sync_outputs(job); });
    }

 private:
    void arm(Call call, std::function<Result<void>()> fault) {
        fault_ = std::move(fault);
        armed_ = call;
    }
    Result<void> strike(Call call) {
        if (!armed_.compare_exchange_strong(call, Call::None)) return {};
        return fault_();
    }

    const std::shared_ptr<Runtime> healthy_;
    std::function<Result<void>()> fault_;  // written before it is armed
    std::atomic<Call> armed_ = Call::None;
    std::counting_semaphore<> arrived_{0};
    std::counting_semaphore<> go_{0};
};

}  // namespace dispatch::test
