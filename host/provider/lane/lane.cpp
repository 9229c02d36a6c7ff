// SPDX-License-Identifier: MIT
#include "provider/lane/lane.hpp"

#include <algorithm>

#include "provider/guard.hpp"
#include "provider/lane/core.hpp"

namespace dispatch {

using provider::EventState;
using provider::guarded;

Ticket::Ticket(std::shared_ptr<Core> core, std::shared_ptr<Run> run)
    : core_(std::move(core)), run_(std::move(run)) {}

Ticket::~Ticket() {
    if (run_) core_->drop(*run_);
}

Result<EventState> Ticket::poll() const {
    return core_->poll(*run_);
}

Result<EventState> Ticket::wait(Seconds at_most) const {
    return deadline_after(at_most, Clock::now()).and_then([&](Clock::time_point until) {
        return core_->wait(*run_, until);
    });
}

bool Ticket::ended() const {
    return run_->ended;
}

void LeaveStream::operator()(Core* core) const {
    core->leave_stream();
}

Result<std::unique_ptr<Lane>> Lane::open(std::shared_ptr<Runtime> runtime, Options options) {
    if (runtime->contract().launched == 0 || options.watchdog <= options.watchdog.zero())
        return std::unexpected(ErrorKind::InvalidArgument);
    return guarded([&]() -> Result<std::unique_ptr<Lane>> {
        std::unique_ptr<Lane> lane(
            new Lane(std::make_shared<Core>(std::move(runtime), std::move(options))));
        // A thread that does not start is no different to the lane's destructor.
        lane->threads_[0] = std::thread([core = lane->core_] { core->launch_runs(); });
        lane->threads_[1] = std::thread([core = lane->core_] { core->retire_runs(); });
        return lane;
    });
}

Lane::Lane(std::shared_ptr<Core> core) : core_(std::move(core)) {}

// A thread that may be stuck in the runtime is never joined.
Lane::~Lane() {
    const auto running = std::ranges::count_if(threads_, &std::thread::joinable);
    const bool ended = core_->stop(running);
    for (std::thread& thread : threads_) {
        if (thread.joinable()) ended ? thread.join() : thread.detach();
    }
}

Result<Ticket> Lane::submit(Work work) {
    return guarded([&] { return ticket(core_->admit(std::move(work), std::nullopt)); });
}

Result<Ticket> Lane::submit_within(Work work, Seconds at_most) {
    return deadline_after(at_most, Clock::now()).and_then([&](Clock::time_point until) {
        return guarded([&] { return ticket(core_->admit(std::move(work), until)); });
    });
}

Result<Ticket> Lane::ticket(Result<std::shared_ptr<Run>> admitted) const {
    if (!admitted) return std::unexpected(admitted.error());
    return Ticket(core_, std::move(*admitted));
}

Result<StreamHold> Lane::hold_stream() {
    return core_->hold_stream().transform([&] { return StreamHold(core_.get()); });
}

Census Lane::census() const {
    return core_->census();
}

}  // namespace dispatch
