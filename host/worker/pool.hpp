// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"
#include "engine/work.hpp"

namespace acceld {

// Threads that run an engine's provider work. They are started as they are needed, so
// that a guest that keeps to one context at a time costs one.
class Pool {
 public:
    // Of at most `threads`: as many slow commands, each of another context, can run side
    // by side.
    [[nodiscard]] static std::expected<std::unique_ptr<Pool>, std::string> create(
        std::size_t threads);

    // Finishes what was posted.
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Runs the work here if no thread can be had.
    void post(engine::Work work);

    // Readable while there is finished work to take.
    [[nodiscard]] int done_fd() const { return done_fd_.value(); }
    [[nodiscard]] std::optional<engine::Work> take_done();
    // Waits for finished work, of which there must be some to come.
    [[nodiscard]] engine::Work wait_done();

 private:
    Pool(base::UniqueFd done_fd, std::size_t most_threads)
        : done_fd_(std::move(done_fd)), most_threads_(most_threads) {}

    void work(const std::stop_token& stop);
    void finished(engine::Work work);
    [[nodiscard]] engine::Work pop_done();  // with the mutex held

    base::UniqueFd done_fd_;
    std::size_t most_threads_;
    std::mutex mutex_;
    std::condition_variable_any posted_;
    std::condition_variable finished_;
    std::deque<engine::Work> todo_;  // guarded by mutex_, as the rest
    std::deque<engine::Work> done_;
    std::size_t idle_ = 0;
    std::vector<std::jthread> threads_;
};

}  // namespace acceld
