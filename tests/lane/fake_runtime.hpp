// SPDX-License-Identifier: MIT
//
// A runtime whose device is a thread: it runs jobs in the order of their start, when the
// test lets it.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "provider/lane/lane.hpp"

namespace dispatch::test {

// What the device wrote is seen by the host after a sync, and not before.
struct Buffer {
    Gate gate{1};
    std::uint64_t host = 0;
    std::uint64_t device = 0;
};

constexpr std::uint64_t result_of(std::uint64_t input) {
    return 3 * input + 1;
}

struct FakeJob final : Job {
    FakeJob(std::uint64_t name_, std::uint64_t group, Buffer& in_, Buffer& out_)
        : Job(group), name(name_), in(in_), out(out_) {}

    const std::uint64_t name;
    Buffer& in;
    Buffer& out;
    Tick number = 0;  // among the jobs started
};

struct Behaviour {
    Contract contract = kPipelined;
    bool timeline = false;
    unsigned late_reads = 0;  // of the timeline, that each start shows late by
};

class FakeRuntime final : public Runtime {
 public:
    explicit FakeRuntime(Behaviour behaviour) : behaviour_(behaviour) {
        device_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    // For the test.
    void hold() { allow(0); }
    void end_one() { allow(1); }
    void run_freely() { allow(kFreely); }
    void refuse_preparation() {
        with([&] { refuses_ = true; });
    }
    [[nodiscard]] std::string log() {
        return with([&] { return std::exchange(log_, {}); });
    }
    [[nodiscard]] int prepares() {
        return with([&] { return prepares_; });
    }
    [[nodiscard]] Tick starts() {
        return with([&] { return started_; });
    }
    [[nodiscard]] std::size_t most_in_flight() {
        return with([&] { return most_in_flight_; });
    }
    [[nodiscard]] int most_prepared() {
        return with([&] { return most_prepared_; });
    }

    // Not guarded: whoever holds the stream has it alone.
    std::uint64_t stream_uses = 0;

    Contract contract() const override { return behaviour_.contract; }

    Result<void> prepare(Job& job) override {
        return with([&]() -> Result<void> {
            note('P', job);
            ++prepares_;
            most_prepared_ = std::max(most_prepared_, ++prepared_);
            if (!std::exchange(refuses_, false)) return {};
            --prepared_;
            return std::unexpected(ErrorKind::OutOfMemory);
        });
    }

    Result<void> start(Job& started) override {
        ++stream_uses;
        auto& job = static_cast<FakeJob&>(started);
        return with([&]() -> Result<void> {
            note('S', job);
            if (behaviour_.contract.prepares) --prepared_;
            job.number = ++started_;
            late_ = behaviour_.late_reads;
            queue_.push_back(&job);
            most_in_flight_ = std::max(most_in_flight_, queue_.size());
            changed_.notify_all();
            return {};
        });
    }

    Result<std::optional<Tick>> position() override {
        return with([&]() -> Result<std::optional<Tick>> {
            if (!behaviour_.timeline) return std::nullopt;
            if (late_ == 0) return started_;
            --late_;
            return started_ - 1;
        });
    }

    Result<Progress> wait(Job& job, Tick tick, std::chrono::milliseconds at_most) override {
        const Tick until = behaviour_.timeline ? tick : static_cast<FakeJob&>(job).number;
        std::unique_lock lock(mutex_);
        const bool done = changed_.wait_for(lock, at_most, [&] { return ended_ >= until; });
        return done ? Progress::Done : Progress::Pending;
    }

    Result<void> sync_outputs(Job& ended) override {
        auto& job = static_cast<FakeJob&>(ended);
        return with([&]() -> Result<void> {
            note('E', job);
            job.out.host = job.out.device;
            return {};
        });
    }

 private:
    static constexpr std::uint64_t kFreely = ~std::uint64_t{0};

    template <class Body>
    auto with(Body body) -> decltype(body()) {
        const std::scoped_lock lock(mutex_);
        return body();
    }
    void allow(std::uint64_t ends) {
        with([&] { allowed_ = ends; });
        changed_.notify_all();
    }
    void note(char what, const Job& job) {
        log_ += what + std::to_string(static_cast<const FakeJob&>(job).name) + ' ';
        if (log_.size() > 1'000'000) log_.clear();
    }

    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [&] { return !queue_.empty() && allowed_ != 0; })) {
            FakeJob& job = *queue_.front();
            job.out.device = result_of(job.in.host);
            queue_.pop_front();
            ++ended_;
            if (allowed_ != kFreely) --allowed_;
            changed_.notify_all();
        }
    }

    const Behaviour behaviour_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<FakeJob*> queue_;
    std::uint64_t allowed_ = kFreely;
    Tick started_ = 0;
    Tick ended_ = 0;
    unsigned late_ = 0;
    bool refuses_ = false;
    int prepares_ = 0;
    int prepared_ = 0;  // and not started
    int most_prepared_ = 0;
    std::size_t most_in_flight_ = 0;
    std::string log_;
    std::jthread device_;
};

}  // namespace dispatch::test
