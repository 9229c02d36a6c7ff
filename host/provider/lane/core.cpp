// SPDX-License-Identifier: MIT
#include "provider/lane/core.hpp"

#include <algorithm>

namespace dispatch {

using provider::EventState;

Core::Core(std::shared_ptr<Runtime> runtime, Options options)
    : runtime_(std::move(runtime)), options_(std::move(options)), contract_(runtime_->contract()) {
    queue_.reserve(contract_.depth());
}

Result<std::shared_ptr<Run>> Core::admit(Work work, std::optional<Clock::time_point> until) {
    auto run = std::make_shared<Run>(std::move(work));

    Lock lock(mutex_);
    while (!wedged(lock) && !poisoned_ && places_taken_ == contract_.depth()) {
        if (!until || Clock::now() >= *until) return std::unexpected(ErrorKind::Busy);
        ++waiting_;
        wait_a_slice(lock, *until);
        --waiting_;
    }
    if (wedged_ || poisoned_) return std::unexpected(ErrorKind::DeviceLost);

    if (!run->uses.enter()) return std::unexpected(ErrorKind::Busy);
    if (queue_.empty()) progress_ = options_.now();
    queue_.push_back(run);
    ++places_taken_;
    lock.unlock();
    to_launch_.notify_one();
    return run;
}

// The place goes with what comes later, the ticket or the retirement.
void Core::drop(Run& run) {
    {
        const Lock lock(mutex_);
        run.dropped = true;
        if (!run.retired) return;
        --places_taken_;
    }
    settled_.notify_all();
}

Result<EventState> Core::poll(const Run& run) {
    if (run.ended) return run.outcome;
    if (wedged()) return std::unexpected(ErrorKind::DeviceLost);
    return EventState{};
}

Result<EventState> Core::wait(const Run& run, Clock::time_point until) {
    Lock lock(mutex_);
    while (!run.ended && !wedged(lock) && Clock::now() < until)
        wait_a_slice(lock, until);
    lock.unlock();
    return poll(run);
}

Result<void> Core::hold_stream() {
    Lock lock(mutex_);
    if (!take_stream(lock)) return std::unexpected(ErrorKind::DeviceLost);
    return {};
}

void Core::leave_stream() {
    give_stream(Lock(mutex_));
}

bool Core::take_stream(Lock& lock) {
    const std::uint64_t turn = stream_asked_++;
    while (!wedged(lock) && stream_given_back_ != turn)
        wait_a_slice(lock);
    return !wedged_;
}

void Core::give_stream(const Lock&) {
    ++stream_given_back_;
    settled_.notify_all();
}

Census Core::census() {
    const Lock lock(mutex_);
    const auto at = [&](Run::Stage stage) {
        return static_cast<std::uint32_t>(
            std::ranges::count(queue_, stage, [](const auto& run) { return run->stage; }));
    };
    return {.places_taken = places_taken_,
            .queued = at(Run::Stage::Queued),
            .prepared = at(Run::Stage::Prepared),
            .launched = launched_,
            .waiting = waiting_,
            .threads_parked = threads_parked_,
            .poisoned = poisoned_,
            .wedged = wedged(lock)};
}

bool Core::stop(std::ptrdiff_t threads) {
    // Well below the quarter of a second in which a provider has to be gone.
    const auto until = Clock::now() + kSlice;
    Lock lock(mutex_);
    poisoned_ = stopping_ = true;
    to_launch_.notify_one();
    to_retire_.notify_one();
    while (!wedged(lock) && threads_ended_ < threads && Clock::now() < until)
        wait_a_slice(lock, until);
    return threads_ended_ == threads;
}

bool Core::wedged() {
    if (wedged_) return true;
    if (!overdue()) return false;
    return wedged(Lock(mutex_));
}

// Only a look under the mutex counts: whoever gets on says so under it.
bool Core::wedged(const Lock&) {
    if (!wedged_ && overdue()) {
        wedged_ = true;
        to_launch_.notify_one();
        to_retire_.notify_one();
        settled_.notify_all();
    }
    return wedged_;
}

void Core::wait_a_slice(Lock& lock, Clock::time_point until) {
    settled_.wait_until(lock, std::min(until, Clock::now() + kSlice));
}

}  // namespace dispatch
