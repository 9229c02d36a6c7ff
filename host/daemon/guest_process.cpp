// SPDX-License-Identifier: MIT
#include "daemon/guest_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <utility>

#include <sys/socket.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "daemon/fd_passing.hpp"
#include "daemon/front_end_log.hpp"
#include "daemon/log.hpp"
#include "daemon/order.hpp"
#include "daemon/programs.hpp"
#include "daemon/session.hpp"
#include "sandbox/sandbox.hpp"
#include "vhost/failure.hpp"

namespace acceld {

using base::UniqueFd;
using vhost::failure;

namespace {

// A front end, or nothing when the session is to end: because the supervisor says so or
// is gone, or because there is no worker any more that could serve it.
UniqueFd await_front_end(int channel, Session& session) {
    for (;;) {
        std::array ready{pollfd{channel, POLLIN, 0}, pollfd{session.worker_fd(), POLLIN, 0}};
        if (::poll(ready.data(), ready.size(), -1) < 0) continue;
        if (ready[0].revents == 0) return {};
        Order order = receive_order(channel);
        if (order.kind != Order::Kind::Log) return std::move(order.fd);
        session.log_to(order.fd);
    }
}

int serve_guest(Options options, unsigned number, int channel, UniqueFd board_file) {
    name_guest_in_log(number);
    if (const auto confined = sandbox::confine_session(options.sandbox, worker_program());
        !confined) {
        spdlog::error("{}", confined.error());
        return kExitFailure;
    }
    options.device_arguments.insert(options.device_arguments.end(),
                                    {"--guest", std::to_string(number)});
    GuestLog log;
    auto board = SharedBoard::map(std::move(board_file));
    auto session = board ? Session::create(options, log, *std::move(board), channel)
                         : std::unexpected(board.error());
    if (!session) {
        if (!session.error().empty()) spdlog::error("{}", session.error());
        return kExitFailure;
    }
    if (!send_word(channel, Word::Ready)) return kExitFailure;
    UniqueFd front_end = await_front_end(channel, **session);
    if (!front_end) return (*session)->end() ? kExitOk : kExitFailure;

    spdlog::info("front end connected");
    log_end((*session)->serve(std::move(front_end)));
    (*session)->end();
    return kExitOk;
}

// The child of a fork, with nothing of the supervisor's but what it was made for: what it
// has from other guests is not this one's.
[[noreturn]] void become_session(const Options& options, unsigned number, int channel,
                                 UniqueFd board) noexcept {
    int status = kExitFailure;
    close_all_but({channel, board.value()});
    try {
        status = serve_guest(options, number, channel, std::move(board));
    } catch (const std::exception& error) {
        spdlog::error("{}", error.what());
    }
    ::_exit(status);
}

}  // namespace

std::string_view GuestProcess::name(State state) {
    switch (state) {
        case State::Starting:
            return "starting";
        case State::Ready:
            return "ready";
        case State::Serving:
            return "serving";
        case State::Ended:
            return "ended";
    }
    std::unreachable();
}

std::expected<GuestProcess, std::string> GuestProcess::start(const Options& options,
                                                             unsigned number) {
    auto file = make_board();
    if (!file) return std::unexpected(file.error());
    auto board = watch_board(*file);
    if (!board) return std::unexpected(board.error());
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure("socketpair", errno);
    }
    UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    const pid_t pid = ::fork();
    if (pid < 0) return failure("fork", errno);
    if (pid == 0) become_session(options, number, theirs.value(), *std::move(file));
    return GuestProcess(number, *std::move(board), pid, std::move(ours));
}

GuestProcess::GuestProcess(GuestProcess&& other) noexcept
    : number_(other.number_),
      board_(std::move(other.board_)),
      pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      store_(std::move(other.store_)),
      state_(other.state_),
      wants_store_(other.wants_store_),
      status_(other.status_) {}

GuestProcess& GuestProcess::operator=(GuestProcess&& other) noexcept {
    stop();
    number_ = other.number_;
    board_ = std::move(other.board_);
    pid_ = std::exchange(other.pid_, -1);
    channel_ = std::move(other.channel_);
    store_ = std::move(other.store_);
    state_ = other.state_;
    wants_store_ = other.wants_store_;
    status_ = other.status_;
    return *this;
}

void GuestProcess::progress() {
    Word word{};
    const ssize_t got = ::recv(channel_.value(), &word, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got == 1 && word == Word::Ready && state_ == State::Starting) {
        state_ = State::Ready;
        return;
    }
    if (got == 1 && word == Word::StoreWanted) {
        wants_store_ = true;
        return;
    }
    // It has ended, or is not what it was: nobody waits for that one.
    ::kill(pid_, SIGKILL);
    reap();
}

std::expected<void, std::string> GuestProcess::give(UniqueFd front_end) {
    auto sent = send_order(channel_.value(), Order::Kind::FrontEnd, front_end);
    if (sent) state_ = State::Serving;
    return sent;
}

// A session that does not take it has to do without.
void GuestProcess::give_store(UniqueFd connection) {
    if (store_) ::shutdown(store_.value(), SHUT_RDWR);
    store_ = std::move(connection);
    static_cast<void>(send_order(channel_.value(), Order::Kind::Store, store_));
}

std::expected<void, std::string> GuestProcess::log_to(const UniqueFd& file) const {
    return send_order(channel_.value(), Order::Kind::Log, file);
}

void GuestProcess::ask_to_end() const {
    ::shutdown(channel_.value(), SHUT_RDWR);
}

void GuestProcess::stop() {
    if (pid_ < 0 || state_ == State::Ended) return;
    ask_to_end();
    reap();
}

void GuestProcess::reap() {
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    state_ = State::Ended;
    channel_.reset();
    store_.reset();
}

}  // namespace acceld
