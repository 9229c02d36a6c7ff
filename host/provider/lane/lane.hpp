// SPDX-License-Identifier: MIT
//
// The dispatch lane: between a provider and a runtime with a hardware queue. Runs go in, as
// many are in flight as the runtime's contract says, and they end strictly in order, each by
// its own completion. docs/adr/0010-dispatch-lane.md has the reasons.
//
// Acceptance. A run is accepted with all that it touches entered in its gates, before the
// runtime hears of it; what is rejected has left everything as it was. Gates are left, and
// the job and what it kept alive are let go, before the end of the run can be seen.
//
// Places. A run takes one of depth() places, from its acceptance until it has ended and its
// ticket is gone, whichever is later.
//
// Faults. A definite error of start(), wait() or sync_outputs() fails that run and poisons
// the lane: it accepts nothing more (DeviceLost), runs that were not started fail with
// DeviceLost, everything can be released. No progress for as long as the watchdog allows
// wedges it: nobody knows what the hardware still does, so what is pending stays pending,
// its resources stay in use for ever, and polls and submissions say DeviceLost. A lane comes
// back from neither.
//
// Threads. All of this may be called from any thread. Nothing waits for the runtime but what
// says that it waits, and that notices a wedge.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "provider/lane/bounded.hpp"
#include "provider/lane/gate.hpp"
#include "provider/lane/runtime.hpp"

namespace dispatch {

class Core;
struct Run;

struct Options {
    // More than the kernel's own limit for a job, which is 60 s where amdxdna has its longest.
    std::chrono::nanoseconds watchdog = std::chrono::seconds(120);
    // The watchdog's. A thread that is left behind may still ask it.
    std::function<Clock::time_point()> now = Clock::now;
};

// One submission: the job, and the gates of all that it touches.
struct Work {
    std::unique_ptr<Job> job;
    Touched touches;
};

// What an operator sees of a lane.
struct Census {
    std::uint32_t places_taken = 0;
    std::uint32_t queued = 0;  // neither prepared nor started
    std::uint32_t prepared = 0;
    std::uint32_t launched = 0;
    std::uint32_t waiting = 0;  // submissions that wait for a place
    std::uint32_t threads_parked = 0;
    bool poisoned = false;
    bool wedged = false;
};

// A run that was accepted: what a provider's event holds. It may outlive the lane. It shows
// the run as it is, not as it was when somebody last looked.
class Ticket {
 public:
    Ticket(Ticket&&) = default;
    Ticket& operator=(Ticket&& other) noexcept {
        core_.swap(other.core_);
        run_.swap(other.run_);
        return *this;
    }
    ~Ticket();

    // Neither allocates nor locks, unless it finds the lane wedged: DeviceLost.
    [[nodiscard]] Result<provider::EventState> poll() const;

    // As poll(), once the run has ended or the time is over. Those before it end first.
    [[nodiscard]] Result<provider::EventState> wait(Seconds at_most) const;

    // False: whoever destroys the event is to be answered Busy. Always false if wedged.
    [[nodiscard]] bool ended() const;

 private:
    friend class Lane;
    Ticket(std::shared_ptr<Core> core, std::shared_ptr<Run> run);

    std::shared_ptr<Core> core_;
    std::shared_ptr<Run> run_;
};

struct LeaveStream {
    void operator()(Core* core) const;
};
// The stream is its holder's alone, until this is dropped. The lane must live as long.
using StreamHold = std::unique_ptr<Core, LeaveStream>;

class Lane {
 public:
    // A contract of no jobs and a watchdog of no time are InvalidArgument, no more threads
    // ResourceLimit.
    [[nodiscard]] static Result<std::unique_ptr<Lane>> open(std::shared_ptr<Runtime> runtime,
                                                            Options options = {});

    // Starts nothing more, and gives what is in flight a moment to end. What takes longer is
    // left behind with the threads, which let go of it when it has ended, or never.
    ~Lane();
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // Never waits. Busy: no place, or something that it touches is in use; nothing has been
    // touched or prepared.
    [[nodiscard]] Result<Ticket> submit(Work work);

    // The same, but waits for a place.
    [[nodiscard]] Result<Ticket> submit_within(Work work, Seconds at_most);

    // For calls of the runtime that must not come between a start and the reading of its
    // tick, such as allocations that its stream orders. Waits for a launch, or for another
    // holder, and never for a job.
    [[nodiscard]] Result<StreamHold> hold_stream();

    [[nodiscard]] Census census() const;

 private:
    explicit Lane(std::shared_ptr<Core> core);
    [[nodiscard]] Result<Ticket> ticket(Result<std::shared_ptr<Run>> admitted) const;

    std::shared_ptr<Core> core_;
    std::array<std::thread, 2> threads_;  // the launcher and the retirer
};

}  // namespace dispatch
