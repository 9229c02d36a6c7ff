// SPDX-License-Identifier: MIT
#include "daemon/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "daemon/guest_process.hpp"
#include "daemon/listener.hpp"
#include "daemon/signals.hpp"
#include "sandbox/sandbox.hpp"
#include "vhost/failure.hpp"

namespace acceld {

namespace {

using base::UniqueFd;
using State = GuestProcess::State;

class Supervisor {
 public:
    Supervisor(const Options& options, int stop_fd) : options_(options), stop_fd_(stop_fd) {}

    std::expected<int, std::string> run() {
        while (!stopped_ && !(finished() && guests_.empty())) {
            if (auto done = step(); !done) return std::unexpected(done.error());
        }
        // All at once: each drains.
        for (const GuestProcess& guest : guests_)
            guest.ask_to_end();
        return status_;
    }

 private:
    using Result = std::expected<void, std::string>;

    // No more front ends are let in.
    [[nodiscard]] bool finished() const { return served_enough_ || status_ != kExitOk; }

    [[nodiscard]] GuestProcess* standby() {
        const auto ready = std::ranges::find(guests_, State::Ready, &GuestProcess::state);
        return ready == guests_.end() ? nullptr : &*ready;
    }

    Result step() {
        keep_standby();
        std::vector<pollfd> ready{{stop_fd_, POLLIN, 0}, {-1, POLLIN, 0}};
        if (standby() != nullptr && !finished()) {
            if (auto begun = begin(); !begun) return begun;
            if (served_enough_) return {};
            ready[1].fd = listener_->fd();
        }
        for (const GuestProcess& guest : guests_)
            ready.push_back({guest.fd(), POLLIN, 0});
        if (::poll(ready.data(), ready.size(), -1) < 0) {
            if (errno == EINTR) return {};
            return vhost::failure("poll", errno);
        }
        stopped_ = ready[0].revents != 0;
        for (std::size_t i = 0; i < guests_.size(); ++i)
            if (ready[i + 2].revents != 0) progress(guests_[i]);
        if (ready[1].revents != 0 && standby() != nullptr) accept();
        std::erase_if(guests_, [](const auto& guest) { return guest.state() == State::Ended; });
        return {};
    }

    // Those that are served shall not suffer.
    void fail(const std::string& why) {
        spdlog::error("no more front ends are let in: {}", why);
        status_ = kExitFailure;
    }

    void keep_standby() {
        const bool wanted =
            !finished() && guests_.size() < options_.max_guests &&
            std::ranges::all_of(
                guests_, [](const GuestProcess& guest) { return guest.state() == State::Serving; });
        if (!wanted) return;
        auto guest = GuestProcess::start(options_);
        if (!guest) return fail(guest.error());
        guests_.push_back(*std::move(guest));
    }

    // The first session stands by: from here on a front end finds a device.
    Result begin() {
        if (listener_) return {};
        if (auto begun = begin_to_listen(); !begun) return begun;
        if (auto done = sandbox::confine_supervisor(options_.sandbox); !done) return done;
        const bool off = options_.sandbox.off;
        spdlog::log(off ? spdlog::level::warn : spdlog::level::info, "{}",
                    sandbox::description(options_.sandbox));
        if (::geteuid() == 0 && !options_.sandbox.user)
            spdlog::warn("running as root: --user NAME changes to another user");
        return {};
    }

    Result begin_to_listen() {
        if (options_.fd) {
            const auto connected = is_connected(*options_.fd);
            if (!connected) return std::unexpected(connected.error());
            if (*connected) {
                served_enough_ = true;
                return standby()->give(UniqueFd(*options_.fd));
            }
        }
        auto listener = options_.fd ? Listener::adopt(UniqueFd(*options_.fd))
                                    : Listener::bind(options_.socket_path);
        if (!listener) return std::unexpected(listener.error());
        listener_.emplace(*std::move(listener));
        spdlog::info("listening on {}", options_.fd ? "the given socket" : options_.socket_path);
        return {};
    }

    void accept() {
        auto front_end = listener_->accept();
        if (!front_end) return fail(front_end.error());
        if (!*front_end) return;
        served_enough_ = options_.once;
        // A session that is gone by now will be found so.
        if (auto given = standby()->give(*std::move(*front_end)); !given)
            spdlog::error("a front end was turned away: {}", given.error());
    }

    // A session that ends before it has served has said why.
    void progress(GuestProcess& guest) {
        const State before = guest.state();
        guest.progress();
        if (guest.state() == State::Ended && before != State::Serving)
            status_ = guest.exit_status() == kExitOk ? kExitFailure : guest.exit_status();
    }

    const Options& options_;
    int stop_fd_;
    std::optional<Listener> listener_;
    std::vector<GuestProcess> guests_;
    bool served_enough_ = false;
    bool stopped_ = false;
    int status_ = kExitOk;
};

}  // namespace

std::expected<int, std::string> supervise(const Options& options) {
    const auto stop = catch_signals();
    if (!stop) return std::unexpected(stop.error());
    return Supervisor(options, stop->value()).run();
}

}  // namespace acceld
