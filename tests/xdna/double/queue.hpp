// SPDX-License-Identifier: MIT
//
// The commands of one hardware context: one after the other, on a thread of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "xdna/double/control.hpp"

namespace xrt_double {

// As many as the driver takes before start() blocks.
inline constexpr std::size_t kDepth = 4;

struct Command {
    std::function<int()> work;  // the state in which it ends; gone once it is done
    Fate fate{};
    int state = 0;      // an ert_cmd_state; guarded by the control's lock
    bool done = false;  // the same
};

class Queue {
 public:
    Queue();
    // Waits for what is under way.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    void start(const std::shared_ptr<Command>& command);

    [[nodiscard]] std::uint64_t context() const { return context_; }

 private:
    void serve();
    void perform(std::unique_lock<std::mutex>& lock, Command& command);

    // Guarded by the control's lock.
    std::deque<std::shared_ptr<Command>> under_way_;
    bool stopping_ = false;

    const std::uint64_t context_;
    std::thread thread_;
};

// Waits for its end. Counted if it has to: it would block whoever destroys a run.
void finish(const Command& command);

}  // namespace xrt_double
