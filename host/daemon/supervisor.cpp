// SPDX-License-Identifier: MIT
#include "daemon/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "daemon/control.hpp"
#include "daemon/guest_process.hpp"
#include "daemon/log.hpp"
#include "daemon/metrics.hpp"
#include "daemon/signals.hpp"
#include "daemon/sockets.hpp"
#include "daemon/store_process.hpp"
#include "daemon/systemd.hpp"
#include "sandbox/sandbox.hpp"
#include "vhost/failure.hpp"

namespace acceld {

namespace {

using base::UniqueFd;
using State = GuestProcess::State;

class Supervisor {
 public:
    Supervisor(const Options& options, UniqueFd signals)
        : options_(options), signals_(std::move(signals)) {}

    std::expected<int, std::string> run() {
        if (auto started = start_store(); !started) return std::unexpected(started.error());
        if (auto bound = bind_control(); !bound) return std::unexpected(bound.error());
        while (!stopped_ && !(finished() && guests_.empty())) {
            if (auto done = step(); !done) return std::unexpected(done.error());
        }
        notify_manager("STOPPING=1");
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
        if (standby() != nullptr && !finished() && !sockets_) return begin();
        std::vector<pollfd> ready{{signals_.value(), POLLIN, 0},
                                  {store_ ? store_->pidfd() : -1, POLLIN, 0}};
        const std::size_t first_guest = ready.size();
        for (const GuestProcess& guest : guests_)
            ready.push_back({guest.fd(), POLLIN, 0});
        const std::size_t first_listener = ready.size();
        if (standby() != nullptr && !finished())
            for (const Listener& listener : sockets_->listening)
                ready.push_back({listener.fd(), POLLIN, 0});
        const std::size_t control_at = ready.size();
        if (control_) std::ranges::copy(control_->wanted(), std::back_inserter(ready));
        if (::poll(ready.data(), ready.size(), -1) < 0) {
            if (errno == EINTR) return {};
            return vhost::failure("poll", errno);
        }
        if (ready[0].revents != 0) obey_signal();
        if (ready[1].revents != 0)
            if (auto borne = lose_store(); !borne) return borne;
        for (std::size_t i = 0; i < guests_.size(); ++i)
            if (ready[first_guest + i].revents != 0) progress(guests_[i]);
        for (std::size_t i = first_listener; i < control_at; ++i) {
            if (ready[i].revents == 0 || standby() == nullptr) continue;
            accept(i - first_listener);
            break;
        }
        std::erase_if(guests_, [](const auto& guest) { return guest.state() == State::Ended; });
        if (control_) {
            control_->progress(std::span(ready).subspan(control_at),
                               [this](std::string_view path) { return answer(path); });
        }
        return {};
    }

    // Those that are served shall not suffer. Who waits for a front end waits in vain.
    void fail(const std::string& why) {
        spdlog::error("no more front ends are let in: {}", why);
        status_ = kExitFailure;
        if (const GuestProcess* waiting = standby()) waiting->ask_to_end();
    }

    // Before the first session, which wants a connection to it.
    Result start_store() {
        if (!options_.provider.wants_store()) return {};
        auto store = StoreProcess::start(options_.provider.xdna.store, options_.sandbox);
        if (!store) return std::unexpected(store.error());
        store_.emplace(*std::move(store));
        spdlog::info("store of kernels: pid={}", store_->pid());
        return {};
    }

    // Those that are served shall not suffer. One that has never begun has said why.
    Result lose_store() {
        const std::string how = "the store of kernels " + store_->bury();
        if (!sockets_) return std::unexpected(how);
        spdlog::error("{}: guests get no more kernels until the daemon is started again", how);
        return {};
    }

    Result bind_control() {
        if (options_.control_path.empty()) return {};
        auto control = Control::bind(options_.control_path);
        if (!control) return std::unexpected(control.error());
        control_.emplace(*std::move(control));
        return {};
    }

    [[nodiscard]] DaemonView view() const {
        DaemonView daemon{.provider = options_.provider.name,
                          .max_guests = options_.max_guests,
                          .front_ends = front_ends_,
                          .sessions_failed = sessions_failed_,
                          .guests = {}};
        for (const GuestProcess& guest : guests_) {
            daemon.guests.push_back({.number = guest.number(),
                                     .pid = guest.pid(),
                                     .state = GuestProcess::name(guest.state()),
                                     .statistics = &guest.statistics()});
        }
        return daemon;
    }

    [[nodiscard]] HttpResponse answer(std::string_view path) const {
        if (path == "/metrics") {
            return {.type = "text/plain; version=0.0.4; charset=utf-8",
                    .body = metrics_text(view())};
        }
        if (path == "/status") return {.type = "application/json", .body = status_json(view())};
        return {.status = 404, .body = "there are /metrics and /status\n"};
    }

    void obey_signal() {
        const int number = take_signal(signals_);
        if (number == SIGHUP)
            reopen_log();
        else if (number != 0)
            stopped_ = true;
    }

    // The sessions get the file from here, as they need not be able to open it.
    void reopen_log() const {
        const auto file = open_log(options_.log_file);
        if (!file) return spdlog::error("the log stays where it is: {}", file.error());
        log_to(*file);
        for (const GuestProcess& guest : guests_) {
            if (const auto told = guest.log_to(*file); !told)
                spdlog::error("guest={} pid={} its log stays where it is: {}", guest.number(),
                              guest.pid(), told.error());
        }
        spdlog::info("log opened anew");
    }

    void keep_standby() {
        const bool wanted =
            !finished() && guests_.size() < options_.max_guests &&
            std::ranges::all_of(
                guests_, [](const GuestProcess& guest) { return guest.state() == State::Serving; });
        if (!wanted) return;
        auto guest = GuestProcess::start(options_, ++last_number_);
        if (!guest) return fail(guest.error());
        guests_.push_back(*std::move(guest));
    }

    // The first session stands by: from here on a front end finds a device.
    Result begin() {
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
        auto sockets = open_sockets(options_);
        if (!sockets) return std::unexpected(sockets.error());
        sockets_.emplace(*std::move(sockets));
        for (const Listener& listener : sockets_->listening)
            spdlog::info("listening on {}", listener.name());
        notify_manager("READY=1");
        if (!sockets_->connected) return {};
        served_enough_ = true;
        return give(std::move(sockets_->connected));
    }

    void accept(std::size_t index) {
        auto& listening = sockets_->listening;
        const auto heard = listening.begin() + static_cast<std::ptrdiff_t>(index);
        auto front_end = heard->accept();
        // It comes last the next time, so that no socket keeps the others waiting.
        std::rotate(heard, heard + 1, listening.end());
        if (!front_end) return fail(front_end.error());
        if (!*front_end) return;
        // A session that has died in this moment is the loss of one front end.
        const auto given = give(*std::move(*front_end));
        if (!given) spdlog::error("front end dropped: {}", given.error());
        served_enough_ = given && options_.once;
    }

    Result give(UniqueFd front_end) {
        ++front_ends_;
        return standby()->give(std::move(front_end));
    }

    // A session that ends before it has served has said why.
    void progress(GuestProcess& guest) {
        const State before = guest.state();
        guest.progress();
        if (guest.take_store_wish() && store_) give_store(guest);
        if (guest.state() != State::Ended) return;
        if (before != State::Serving)
            status_ = guest.exit_status() == kExitOk ? kExitFailure : guest.exit_status();
        if (guest.exit_status() == kExitOk) return;
        ++sessions_failed_;
        if (before != State::Serving && !guest.died_of_signal()) return;
        spdlog::error("guest={} pid={} session {}", guest.number(), guest.pid(), guest.obituary());
    }

    void give_store(GuestProcess& guest) {
        auto connection = store_->connect();
        if (connection) return guest.give_store(*std::move(connection));
        spdlog::error("guest={} pid={} no connection to the store of kernels: {}", guest.number(),
                      guest.pid(), connection.error());
    }

    const Options& options_;
    UniqueFd signals_;
    std::optional<StoreProcess> store_;  // outlives the guests
    std::optional<Sockets> sockets_;
    std::optional<Control> control_;
    std::vector<GuestProcess> guests_;
    unsigned last_number_ = 0;
    std::uint64_t front_ends_ = 0;
    std::uint64_t sessions_failed_ = 0;
    bool served_enough_ = false;
    bool stopped_ = false;
    int status_ = kExitOk;
};

}  // namespace

std::expected<int, std::string> supervise(const Options& options) {
    auto signals = catch_signals(!options.log_file.empty());
    if (!signals) return std::unexpected(signals.error());
    return Supervisor(options, *std::move(signals)).run();
}

}  // namespace acceld
