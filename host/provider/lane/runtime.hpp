// SPDX-License-Identifier: MIT
//
// What a dispatch lane asks of the library behind a provider. Tests implement it with
// delays, errors and stalls; that is all there is of fault injection.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "provider/error.hpp"

namespace dispatch {

using provider::Error;
using provider::ErrorKind;
using provider::Result;

// One submission as its runtime knows it. The lane hands a runtime only its own jobs, and
// destroys a job before the end of its run can be seen; one that was prepared may never
// have been started.
class Job {
 public:
    // Jobs of one group are compatible: one may be prepared while another runs.
    explicit Job(std::uint64_t group = 0) : group_(group) {}
    virtual ~Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    [[nodiscard]] std::uint64_t group() const { return group_; }

 private:
    const std::uint64_t group_;
};

// How far a runtime goes ahead. What declares nothing gets one job at a time.
struct Contract {
    std::uint32_t launched = 1;  // jobs started and not ended
    bool prepares = false;       // one more of the same group may be prepared behind them

    [[nodiscard]] constexpr std::uint32_t depth() const { return launched + (prepares ? 1 : 0); }
};

// As many as an amdxdna hardware context queues; one more would block in start().
inline constexpr Contract kPipelined{.launched = 4};
inline constexpr Contract kActiveAndPrepared{.launched = 1, .prepares = true};

using Tick = std::uint64_t;
enum class Progress : std::uint8_t { Pending, Done };

// Threads. prepare(), start() and position() are called by one thread, wait() and
// sync_outputs() by another, at the same time but never for the same job.
//
// Errors are definite: the job has ended, and nothing of it touches memory any more. A
// runtime that cannot say so says Pending. An exception counts as a definite error.
class Runtime {
 public:
    virtual ~Runtime() = default;
    Runtime() = default;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    // The same for life.
    [[nodiscard]] virtual Contract contract() const { return {}; }

    // Once, before start(), if the contract says so. A failure is the job's alone.
    [[nodiscard]] virtual Result<void> prepare(Job&) { return {}; }

    // Jobs run in the order in which they are started.
    [[nodiscard]] virtual Result<void> start(Job&) = 0;

    // Where the timeline of the stream stands; nothing if completions need none. The step
    // that a start() makes may show late, but never goes back.
    [[nodiscard]] virtual Result<std::optional<Tick>> position() { return std::nullopt; }

    // Waits for the end of a job that was started, which is `tick` on the timeline.
    [[nodiscard]] virtual Result<Progress> wait(Job&, Tick tick,
                                                std::chrono::milliseconds at_most) = 0;

    // After this the host sees what the job wrote.
    [[nodiscard]] virtual Result<void> sync_outputs(Job&) = 0;
};

}  // namespace dispatch
