// SPDX-License-Identifier: MIT
#include "xdna/store/jobs.hpp"

#include <new>
#include <utility>

#include <sys/eventfd.h>

#include "xdna/store/errors.hpp"

namespace xdna {

Answer answer(Store& store, const Spec& spec, Effort effort) try {
    return store.find(spec, effort).transform(to_container);
} catch (const std::bad_alloc&) {
    return std::unexpected(
        NoBinary{.error = ErrorKind::OutOfMemory, .why = "the store is out of memory"});
}

Jobs::Job::Job(const Spec& spec) : spec_(spec), done_(::eventfd(0, EFD_CLOEXEC)) {}

Jobs::Jobs(Store& store)
    : store_(store), thread_([this](const std::stop_token& stop) { work(stop); }) {}

std::shared_ptr<const Jobs::Job> Jobs::post(const Spec& spec) {
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs_, [](const auto& job) { return job.expired(); });
    if (auto job = begun_.lock(); job && job->spec_ == spec) return job;
    for (const auto& waiting : jobs_)
        if (auto job = waiting.lock(); job && job->spec_ == spec) return job;
    auto job = std::make_shared<Job>(spec);
    if (!job->done_) return nullptr;
    jobs_.push_back(job);
    posted_.notify_one();
    return job;
}

Answer Jobs::answer_of(const Job& job) {
    const std::lock_guard lock(mutex_);
    return job.answer_.value();
}

void Jobs::work(const std::stop_token& stop) {
    while (const auto job = next(stop)) {
        Answer made = answer(store_, job->spec_, Effort::Compile);
        const std::lock_guard lock(mutex_);
        job->answer_ = std::move(made);
        begun_.reset();
        ::eventfd_write(job->done_.value(), 1);
    }
}

std::shared_ptr<Jobs::Job> Jobs::next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (posted_.wait(lock, stop, [this] { return !jobs_.empty(); })) {
        if (stop.stop_requested()) break;
        auto job = jobs_.front().lock();
        jobs_.pop_front();
        begun_ = job;
        if (job) return job;
    }
    return nullptr;
}

}  // namespace xdna
