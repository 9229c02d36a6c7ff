// SPDX-License-Identifier: MIT
#include "cpu/lane.hpp"

#include <algorithm>

#include "cpu/execute.hpp"

namespace cpu {

using provider::ErrorKind;
using provider::EventPhase;
using provider::EventState;

Lane::Lane(const Options& options, Pool& pool, std::size_t max_jobs)
    : options_(options), pool_(pool) {
    queue_.reserve(max_jobs);
    worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void Lane::submit(Job& job) {
    {
        const std::scoped_lock lock(mutex_);
        queue_.push_back(&job);
    }
    queued_.notify_one();
}

EventState Lane::poll(Job& job) {
    const std::scoped_lock lock(mutex_);
    expire_if_queued(job);
    switch (job.state_) {
        case Job::State::Queued:
        case Job::State::Running:
        case Job::State::Cancelling:
            return {};
        case Job::State::Complete:
            return {.phase = EventPhase::Complete};
        case Job::State::Cancelled:
            return {.phase = EventPhase::Cancelled};
        case Job::State::Expired:
            break;
    }
    return {.phase = EventPhase::Failed, .error = ErrorKind::DeadlineExpired};
}

provider::Result<void> Lane::cancel(Job& job) {
    const std::scoped_lock lock(mutex_);
    expire_if_queued(job);
    if (job.state_ == Job::State::Queued) {
        std::erase(queue_, &job);
        job.state_ = Job::State::Cancelled;
        return {};
    }
    if (job.state_ == Job::State::Running) {
        job.state_ = Job::State::Cancelling;
        return {};
    }
    return std::unexpected(ErrorKind::Busy);
}

bool Lane::retire(Job& job) {
    Lock lock(mutex_);
    expire_if_queued(job);
    settled_.wait(lock, [&] { return job.state_ != Job::State::Cancelling; });
    return job.state_ != Job::State::Queued && job.state_ != Job::State::Running;
}

void Lane::stop() {
    worker_.request_stop();
    if (worker_.joinable()) worker_.join();
}

void Lane::work(const std::stop_token& stop) {
    Lock lock(mutex_);
    for (;;) {
        queued_.wait(lock, stop, [&] { return !queue_.empty(); });
        if (options_.before_job && !stop.stop_requested()) {
            lock.unlock();
            options_.before_job();
            lock.lock();
        }
        if (stop.stop_requested()) return;
        if (queue_.empty()) continue;

        Job& job = *queue_.front();
        queue_.erase(queue_.begin());
        job.state_ = Job::State::Running;
        lock.unlock();
        run(job, stop);
        lock.lock();
        if (stop.stop_requested()) return;
        settle(job);
        settled_.notify_all();
    }
}

void Lane::run(Job& job, const std::stop_token& stop) {
    const Frame frame{job.slots_, job.arena_};
    const Pool::Busy busy(pool_);
    const auto compute = [&](const Kernel& kernel, const Operands& operands) {
        for (std::uint64_t first = 0; first < kernel.units();) {
            if (options_.before_slice) options_.before_slice();
            if (!may_continue(job, stop)) return false;
            first = run_slice(kernel, operands, first, job.scratch_);
        }
        return true;
    };
    // A job that ends early has a state that says why.
    static_cast<void>(execute(job.plan_, frame, 0, compute));
}

// More threads get through more units in the time that a job may go unchecked.
std::uint64_t Lane::run_slice(const Kernel& kernel, const Operands& operands, std::uint64_t first,
                              const Scratch& scratch) {
    const std::uint64_t left = kernel.units() - first;
    const unsigned helpers = pool_.take(kernel, left);
    const std::uint64_t last = first + std::min(left, kernel.units_per_slice() * (helpers + 1));
    pool_.run({kernel, operands, first, last}, helpers, scratch);
    return last;
}

bool Lane::may_continue(const Job& job, const std::stop_token& stop) {
    const std::scoped_lock lock(mutex_);
    return job.state_ == Job::State::Running && !expired(job) && !stop.stop_requested();
}

// Time never runs back, so a job that was left because it expired still has.
void Lane::settle(Job& job) {
    if (job.state_ == Job::State::Cancelling)
        job.state_ = Job::State::Cancelled;
    else
        job.state_ = expired(job) ? Job::State::Expired : Job::State::Complete;
}

void Lane::expire_if_queued(Job& job) {
    if (job.state_ != Job::State::Queued || !expired(job)) return;
    std::erase(queue_, &job);
    job.state_ = Job::State::Expired;
}

}  // namespace cpu
