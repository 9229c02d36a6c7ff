// SPDX-License-Identifier: MIT
//
// The launcher and the retirer. They are two, so that what is submitted while a job runs
// is started behind it, not after it.
#include <algorithm>
#include <semaphore>

#include "provider/lane/core.hpp"

namespace dispatch {
namespace {

using provider::EventPhase;
using provider::EventState;

constexpr std::uint32_t kDomain = 0x4C414E45;  // "LANE"
constexpr std::int64_t kThrew = 1;

// No exception crosses a thread's end.
template <class Call>
auto caught(Call call) -> decltype(call()) {
    try {
        return call();
    } catch (...) {
        return std::unexpected(Error(kDomain, kThrew));
    }
}

}  // namespace

// The thread never ends, so neither does what it holds: executables, buffers and jobs that
// the hardware may still use, and whose destructors could block in a driver.
void Core::park(Lock& lock) {
    ++threads_parked_;
    lock.unlock();
    std::binary_semaphore never{0};
    for (;;)
        never.acquire();
}

void Core::end_thread(Lock& lock) {
    ++threads_ended_;
    settled_.notify_all();
    lock.unlock();
}

void Core::launch_runs() {
    Lock lock(mutex_);
    for (;;) {
        to_launch_.wait(lock, [&] { return wedged_ || stopping_ || next_step() != Step::None; });
        if (wedged_) park(lock);
        const Step step = next_step();
        if (step == Step::None) break;  // and stopping
        const std::shared_ptr<Run> run = *first_unlaunched();
        take(lock, step, *run);
        if (wedged(lock)) park(lock);
        to_retire_.notify_one();
    }
    to_retire_.notify_one();
    end_thread(lock);
}

Core::Queue::const_iterator Core::first_unlaunched() const {
    return std::ranges::find_if(queue_, [](const auto& run) {
        return run->stage == Run::Stage::Queued || run->stage == Run::Stage::Prepared;
    });
}

Core::Step Core::next_step() const {
    const auto next = first_unlaunched();
    if (next == queue_.end()) return Step::None;
    if (poisoned_) return Step::Discard;
    if (contract_.prepares) {
        const bool compatible =
            next == queue_.begin() || (*next)->job->group() == (*std::prev(next))->job->group();
        if (!compatible) return Step::None;  // until those before it are gone
        if ((*next)->stage == Run::Stage::Queued) return Step::Prepare;
    }
    return launched_ < contract_.launched ? Step::Launch : Step::None;
}

void Core::take(Lock& lock, Step step, Run& run) {
    switch (step) {
        case Step::None:
            break;
        case Step::Discard:
            fail(run, ErrorKind::DeviceLost);
            break;
        case Step::Prepare:
            prepare(lock, run);
            break;
        case Step::Launch:
            launch(lock, run);
            break;
    }
}

void Core::prepare(Lock& lock, Run& run) {
    lock.unlock();
    const auto prepared = caught([&] { return runtime_->prepare(*run.job); });
    lock.lock();
    if (prepared)
        run.stage = Run::Stage::Prepared;
    else
        fail(run, prepared.error());
}

void Core::launch(Lock& lock, Run& run) {
    if (!take_stream(lock)) return;
    if (poisoned_) {  // while it waited
        give_stream(lock);
        return;
    }
    lock.unlock();
    const auto tick = start(*run.job);
    lock.lock();
    if (wedged(lock)) return;
    give_stream(lock);
    progress_ = options_.now();
    if (!tick) {
        poisoned_ = true;
        fail(run, tick.error());
        return;
    }
    run.tick = *tick;
    run.stage = Run::Stage::Launched;
    ++launched_;
}

// The step of the timeline that a start makes may show late: what is read at once can be
// the predecessor's. Nobody else has the stream, so the first position past the
// predecessor's is this job's.
Result<Tick> Core::start(Job& job) {
    if (auto started = caught([&] { return runtime_->start(job); }); !started)
        return std::unexpected(started.error());
    for (;;) {
        const auto position = caught([&] { return runtime_->position(); });
        if (!position) return std::unexpected(position.error());
        if (!*position) return 0;
        if (**position > last_tick_) return last_tick_ = **position;
        if (wedged()) return std::unexpected(ErrorKind::DeviceLost);
        std::this_thread::yield();
    }
}

void Core::fail(Run& run, Error error) {
    run.outcome = {EventPhase::Failed, error};
    run.stage = Run::Stage::Over;
}

void Core::retire_runs() {
    const auto front_is_due = [&] {
        return !queue_.empty() && queue_.front()->stage >= Run::Stage::Launched;
    };
    Lock lock(mutex_);
    for (;;) {
        to_retire_.wait(lock,
                        [&] { return wedged_ || front_is_due() || (stopping_ && queue_.empty()); });
        if (wedged_) park(lock);
        if (queue_.empty()) break;
        const std::shared_ptr<Run> run = queue_.front();
        if (run->stage == Run::Stage::Launched) {
            lock.unlock();
            const EventState outcome = await(*run);
            lock.lock();
            if (wedged(lock)) park(lock);
            run->outcome = outcome;
        }
        retire(lock, run);
    }
    end_thread(lock);
}

EventState Core::await(Run& run) {
    Result<Progress> progress = Progress::Pending;
    while (progress && *progress == Progress::Pending) {
        progress = caught([&] { return runtime_->wait(*run.job, run.tick, kSlice); });
        if (wedged()) return {};  // whatever it says
    }
    if (!progress) return {EventPhase::Failed, progress.error()};
    const auto synced = caught([&] { return runtime_->sync_outputs(*run.job); });
    if (!synced) return {EventPhase::Failed, synced.error()};
    return {.phase = EventPhase::Complete};
}

// In three steps. Who sees the end can submit and release at once: everything that the run
// took is back before.
void Core::retire(Lock& lock, const std::shared_ptr<Run>& run) {
    queue_.erase(queue_.begin());
    if (run->stage == Run::Stage::Launched) {
        --launched_;
        if (run->outcome.phase == EventPhase::Failed) poisoned_ = true;
    }
    run->retired = true;
    if (run->dropped) --places_taken_;
    progress_ = queue_.empty() ? Clock::time_point::max() : options_.now();
    to_launch_.notify_one();

    lock.unlock();
    run->job.reset();
    run->uses.end();

    lock.lock();
    run->ended = true;
    settled_.notify_all();
}

}  // namespace dispatch
