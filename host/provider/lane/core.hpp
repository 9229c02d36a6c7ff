// SPDX-License-Identifier: MIT
//
// What a lane, its tickets and its two threads share. It outlives the lane where a thread
// has to stay behind: a wedged one parks, and keeps all of this for ever.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "provider/lane/lane.hpp"

namespace dispatch {

// No wait is longer, so that each of them notices a wedge and the end of the lane.
inline constexpr std::chrono::milliseconds kSlice{100};

struct Run {
    enum class Stage : std::uint8_t { Queued, Prepared, Launched, Over };

    explicit Run(Work work) : job(std::move(work.job)), uses(std::move(work.touches)) {}

    // Of the thread that the stage gives the run to: the launcher up to Launched, then the
    // retirer.
    std::unique_ptr<Job> job;
    Uses uses;
    Tick tick = 0;

    // Guarded by Core::mutex_.
    Stage stage = Stage::Queued;
    bool retired = false;  // what it took from the lane is back but for its place
    bool dropped = false;  // its ticket is gone

    // Whoever sees `ended` may read `outcome`, which stays.
    provider::EventState outcome;
    std::atomic<bool> ended = false;
};

class Core {
 public:
    Core(std::shared_ptr<Runtime> runtime, Options options);

    // Waits for a place until then; nothing: does not wait.
    [[nodiscard]] Result<std::shared_ptr<Run>> admit(Work work,
                                                     std::optional<Clock::time_point> until);
    void drop(Run& run);
    [[nodiscard]] Result<provider::EventState> poll(const Run& run);
    [[nodiscard]] Result<provider::EventState> wait(const Run& run, Clock::time_point until);
    [[nodiscard]] Result<void> hold_stream();
    void leave_stream();
    [[nodiscard]] Census census();

    // The lives of the two threads.
    void launch_runs();
    void retire_runs();
    // True if so many threads have come to their ends, which a wedged one never does.
    [[nodiscard]] bool stop(std::ptrdiff_t threads);

 private:
    using Lock = std::unique_lock<std::mutex>;
    enum class Step : std::uint8_t { None, Discard, Prepare, Launch };
    using Queue = std::vector<std::shared_ptr<Run>>;

    // Each looks at the watchdog.
    [[nodiscard]] bool wedged();
    [[nodiscard]] bool wedged(const Lock& lock);
    [[nodiscard]] bool overdue() const {
        return options_.now() - progress_.load() > options_.watchdog;
    }
    void wait_a_slice(Lock& lock, Clock::time_point until = Clock::time_point::max());
    [[nodiscard]] bool take_stream(Lock& lock);  // false: wedged
    void give_stream(const Lock& lock);
    [[noreturn]] void park(Lock& lock);
    void end_thread(Lock& lock);

    // The launcher's.
    [[nodiscard]] Queue::const_iterator first_unlaunched() const;
    [[nodiscard]] Step next_step() const;
    void take(Lock& lock, Step step, Run& run);
    void prepare(Lock& lock, Run& run);
    void launch(Lock& lock, Run& run);
    [[nodiscard]] Result<Tick> start(Job& job);
    static void fail(Run& run, Error error);

    // The retirer's.
    [[nodiscard]] provider::EventState await(Run& run);
    void retire(Lock& lock, const std::shared_ptr<Run>& run);

    const std::shared_ptr<Runtime> runtime_;
    const Options options_;
    const Contract contract_;
    Tick last_tick_ = 0;  // the launcher's

    std::atomic<bool> wedged_ = false;  // written under the mutex, for good
    // When something last went on. In the future while nothing is in flight.
    std::atomic<Clock::time_point> progress_ = Clock::time_point::max();

    // Held for a few steps at a time, never while the runtime is called.
    std::mutex mutex_;
    std::condition_variable to_launch_;  // for the launcher
    std::condition_variable to_retire_;  // for the retirer
    std::condition_variable settled_;    // for all others, and for who waits for the stream
    // Guarded by the mutex, down to the end:
    Queue queue_;  // not retired, in order of acceptance, which is that of launch and end
    std::uint32_t places_taken_ = 0;
    std::uint32_t launched_ = 0;
    std::uint32_t waiting_ = 0;
    std::uint32_t threads_parked_ = 0;
    std::ptrdiff_t threads_ended_ = 0;
    // The stream is given out in the order in which it is asked for: neither allocations nor
    // launches starve the other.
    std::uint64_t stream_asked_ = 0;
    std::uint64_t stream_given_back_ = 0;
    bool poisoned_ = false;
    bool stopping_ = false;  // and poisoned
};

}  // namespace dispatch
