// SPDX-License-Identifier: MIT
#include "worker/pool.hpp"

#include <cerrno>
#include <system_error>

#include <sys/eventfd.h>

#include "vhost/failure.hpp"

namespace acceld {

std::expected<std::unique_ptr<Pool>, std::string> Pool::create(std::size_t threads) {
    base::UniqueFd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd) return vhost::failure("eventfd", errno);
    return std::unique_ptr<Pool>(new Pool(std::move(fd), threads));  // NOLINT: private constructor
}

Pool::~Pool() {
    for (auto& thread : threads_)
        thread.request_stop();
    threads_.clear();  // joins before what they use goes
}

void Pool::post(engine::Work work) {
    {
        const std::scoped_lock lock(mutex_);
        if (idle_ <= todo_.size() && threads_.size() < most_threads_) {
            try {
                threads_.emplace_back([this](const std::stop_token& stop) { this->work(stop); });
            } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): fewer do it
            }
        }
        if (!threads_.empty()) {
            todo_.push_back(std::move(work));
            posted_.notify_one();
            return;
        }
    }
    work.run();
    finished(std::move(work));
}

void Pool::work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        posted_.wait(lock, stop, [&] { return !todo_.empty(); });
        --idle_;
        if (todo_.empty()) return;
        engine::Work work = std::move(todo_.front());
        todo_.pop_front();
        lock.unlock();
        work.run();
        finished(std::move(work));
        lock.lock();
    }
}

void Pool::finished(engine::Work work) {
    const std::scoped_lock lock(mutex_);
    done_.push_back(std::move(work));
    ::eventfd_write(done_fd_.value(), 1);
    finished_.notify_one();
}

engine::Work Pool::pop_done() {
    engine::Work work = std::move(done_.front());
    done_.pop_front();
    if (done_.empty()) {
        eventfd_t count = 0;
        ::eventfd_read(done_fd_.value(), &count);
    }
    return work;
}

std::optional<engine::Work> Pool::take_done() {
    const std::scoped_lock lock(mutex_);
    if (done_.empty()) return std::nullopt;
    return pop_done();
}

engine::Work Pool::wait_done() {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return !done_.empty(); });
    return pop_done();
}

}  // namespace acceld
