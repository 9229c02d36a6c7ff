// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu/cpu.hpp"
#include "cpu/plan.hpp"
#include "cpu/pool.hpp"

namespace cpu {

class Lane;

// One run of a program. It belongs to its event; the lane only points to it, which
// is why an event that is pending cannot be destroyed.
class Job {
 public:
    // `slots` holds the first bound byte of each slot. Deadline: on the lane's clock.
    Job(const Plan& plan, std::vector<std::byte*> slots, std::byte* arena, const Scratch& scratch,
        std::uint64_t deadline)
        : plan_(plan),
          slots_(std::move(slots)),
          arena_(arena),
          scratch_(scratch),
          deadline_(deadline) {}

 private:
    friend class Lane;
    enum class State : std::uint8_t {
        Queued,
        Running,
        Cancelling,  // cancelled, but the worker has not left it yet
        Complete,
        Expired,
        Cancelled,
    };

    const Plan& plan_;
    std::vector<std::byte*> slots_;
    std::byte* arena_;
    Scratch scratch_;
    std::uint64_t deadline_;
    State state_ = State::Queued;  // guarded by the lane
};

inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

// A worker thread that runs the jobs of one context, one after another, in order, with
// what help the pool can spare. Thread-safe. Nothing here waits for a job, but retire() for at most
// a slice.
class Lane {
 public:
    // Starting the thread throws std::system_error.
    Lane(const Options& options, Pool& pool, std::size_t max_jobs);
    ~Lane() { stop(); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // Allocates nothing as long as at most max_jobs are queued.
    void submit(Job& job);
    [[nodiscard]] provider::EventState poll(Job& job);
    [[nodiscard]] provider::Result<void> cancel(Job& job);

    // True once the job has ended and the lane has forgotten it, false while it is
    // pending.
    [[nodiscard]] bool retire(Job& job);

    // Leaves the job that runs at its next slice and joins. No job is touched again.
    void stop();

 private:
    using Lock = std::unique_lock<std::mutex>;

    void work(const std::stop_token& stop);
    // Runs until the end, or until between two slices something stands against it.
    void run(Job& job, const std::stop_token& stop);
    // From unit `first` on; returns where it ended.
    std::uint64_t run_slice(const Kernel& kernel, const Operands& operands, std::uint64_t first,
                            const Scratch& scratch);
    [[nodiscard]] bool may_continue(const Job& job, const std::stop_token& stop);
    void settle(Job& job);
    void expire_if_queued(Job& job);
    [[nodiscard]] bool expired(const Job& job) const { return options_.now() >= job.deadline_; }

    const Options options_;
    Pool& pool_;
    std::mutex mutex_;
    std::condition_variable_any queued_;
    std::condition_variable settled_;
    std::vector<Job*> queue_;
    std::jthread worker_;
};

}  // namespace cpu
