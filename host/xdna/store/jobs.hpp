// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"
#include "xdna/store.hpp"

namespace xdna {

// The container of a kernel, or why there is none.
using Answer = std::expected<std::vector<std::byte>, NoBinary>;

// From what a store has at hand or makes. Catches what it throws.
[[nodiscard]] Answer answer(Store& store, const Spec& spec, Effort effort);

// Kernels to be compiled, one after the other in the order that they were asked for: as a
// client waits for one at a time, none gets more than its turn.
class Jobs {
 public:
    class Job {
     public:
        explicit Job(const Spec& spec);
        // Readable when it is done.
        [[nodiscard]] int done_fd() const { return done_.value(); }

     private:
        friend class Jobs;
        const Spec spec_;
        base::UniqueFd done_;
        std::optional<Answer> answer_;  // under mutex_
    };

    explicit Jobs(Store& store);
    // Ends when the store has answered, which is to be stopped before.
    ~Jobs() = default;

    // All who want the same kernel share a job. One that nobody holds any more when its turn
    // comes is left out. Null if the system has no descriptor for it.
    [[nodiscard]] std::shared_ptr<const Job> post(const Spec& spec);
    // Of one that is done.
    [[nodiscard]] Answer answer_of(const Job& job);

 private:
    void work(const std::stop_token& stop);
    [[nodiscard]] std::shared_ptr<Job> next(const std::stop_token& stop);

    Store& store_;
    std::mutex mutex_;
    std::condition_variable_any posted_;
    std::deque<std::weak_ptr<Job>> jobs_;  // not begun; under mutex_
    std::weak_ptr<Job> begun_;             // under mutex_
    std::jthread thread_;
};

}  // namespace xdna
