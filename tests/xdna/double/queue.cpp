// SPDX-License-Identifier: MIT
#include "xdna/double/queue.hpp"

#include "xdna/double/xrt.hpp"

namespace xrt_double {
namespace {

std::uint64_t next_context() {
    const std::lock_guard lock(control().mutex);
    return control().next_context();
}

}  // namespace

Queue::Queue() : context_(next_context()), thread_([this] { serve(); }) {}

Queue::~Queue() {
    {
        std::unique_lock lock(control().mutex);
        if (!under_way_.empty()) control().add("blocked.destructor");
        control().changed.notify_all();
        control().changed.wait(lock, [this] { return under_way_.empty(); });
        stopping_ = true;
        control().changed.notify_all();
    }
    thread_.join();
}

void Queue::start(const std::shared_ptr<Command>& command) {
    std::unique_lock lock(control().mutex);
    const auto room = [this] { return under_way_.size() < kDepth; };
    if (!room()) {
        control().add("blocked.start");
        control().changed.notify_all();
        control().changed.wait(lock, room);
    }
    command->fate = control().begin_command(context_);
    command->state = ERT_CMD_STATE_SUBMITTED;
    under_way_.push_back(command);
    control().at_least("most", under_way_.size());
    control().changed.notify_all();
}

void Queue::serve() {
    std::unique_lock lock(control().mutex);
    for (;;) {
        control().changed.wait(lock, [this] { return stopping_ || !under_way_.empty(); });
        if (under_way_.empty()) return;
        const auto command = under_way_.front();
        perform(lock, *command);
        under_way_.pop_front();
        control().add("ended");
        control().changed.notify_all();
    }
}

void Queue::perform(std::unique_lock<std::mutex>& lock, Command& command) {
    command.state = ERT_CMD_STATE_RUNNING;
    const Fate& fate = command.fate;
    const auto released = [&] { return control().releases >= fate.release; };
    if (fate.held) control().changed.wait(lock, released);
    control().changed.wait_for(lock, fate.delay, released);
    lock.unlock();
    int state = fate.state.value_or(ERT_CMD_STATE_COMPLETED);
    if (!fate.state) state = command.work();
    command.work = nullptr;  // and with it the memory that the command holds
    lock.lock();
    command.state = state;
    command.done = true;
}

void finish(const Command& command) {
    std::unique_lock lock(control().mutex);
    if (command.done) return;
    control().add("blocked.destructor");
    control().changed.notify_all();
    control().changed.wait(lock, [&] { return command.done; });
}

}  // namespace xrt_double
