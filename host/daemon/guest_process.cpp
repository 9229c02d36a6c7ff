// SPDX-License-Identifier: MIT
#include "daemon/guest_process.hpp"

#include <array>
#include <cerrno>
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
#include "daemon/session.hpp"
#include "daemon/worker_process.hpp"
#include "sandbox/sandbox.hpp"
#include "vhost/failure.hpp"

namespace acceld {

using base::UniqueFd;
using vhost::failure;

namespace {

constexpr int kChannel = 3;
constexpr char kReady = 'r';

// A front end, or nothing when the session is to end: because the supervisor says so or
// is gone, or because there is no worker any more that could serve it.
UniqueFd await_front_end(int channel, const Session& session) {
    std::array ready{pollfd{channel, POLLIN, 0}, pollfd{session.worker_fd(), POLLIN, 0}};
    while (::poll(ready.data(), ready.size(), -1) < 0) {
    }
    return ready[0].revents != 0 ? receive_fd(channel) : UniqueFd();
}

int serve_guest(const Options& options, int channel) {
    if (const auto confined = sandbox::confine_session(options.sandbox, worker_program());
        !confined) {
        spdlog::error("{}", confined.error());
        return kExitFailure;
    }
    GuestLog log;
    auto session = Session::create(options, log);
    if (!session) {
        if (!session.error().empty()) spdlog::error("{}", session.error());
        return kExitFailure;
    }
    if (::send(channel, &kReady, 1, MSG_NOSIGNAL) != 1) return kExitFailure;
    UniqueFd front_end = await_front_end(channel, **session);
    if (!front_end) return (*session)->end() ? kExitOk : kExitFailure;

    spdlog::info("front end connected");
    log_end((*session)->serve(std::move(front_end), channel));
    (*session)->end();
    return kExitOk;
}

// The child of a fork, with nothing of the supervisor's but the channel: what it has from
// other guests is not this one's.
[[noreturn]] void become_session(const Options& options, int channel) noexcept {
    int status = kExitFailure;
    if (::dup3(channel, kChannel, O_CLOEXEC) == kChannel || channel == kChannel) {
        ::close_range(kChannel + 1, ~0U, 0);
        try {
            status = serve_guest(options, kChannel);
        } catch (const std::exception& error) {
            spdlog::error("{}", error.what());
        }
    }
    ::_exit(status);
}

}  // namespace

std::expected<GuestProcess, std::string> GuestProcess::start(const Options& options) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure("socketpair", errno);
    }
    UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    const pid_t pid = ::fork();
    if (pid < 0) return failure("fork", errno);
    if (pid == 0) become_session(options, theirs.value());
    return GuestProcess(pid, std::move(ours));
}

GuestProcess::GuestProcess(GuestProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      state_(other.state_),
      exit_status_(other.exit_status_) {}

GuestProcess& GuestProcess::operator=(GuestProcess&& other) noexcept {
    stop();
    pid_ = std::exchange(other.pid_, -1);
    channel_ = std::move(other.channel_);
    state_ = other.state_;
    exit_status_ = other.exit_status_;
    return *this;
}

void GuestProcess::progress() {
    char word = 0;
    const ssize_t got = ::recv(channel_.value(), &word, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got == 1 && word == kReady && state_ == State::Starting)
        state_ = State::Ready;
    else
        reap();
}

std::expected<void, std::string> GuestProcess::give(UniqueFd front_end) {
    if (auto sent = send_fd(channel_.value(), front_end); !sent) return sent;
    state_ = State::Serving;
    return {};
}

void GuestProcess::ask_to_end() const {
    ::shutdown(channel_.value(), SHUT_RDWR);
}

void GuestProcess::stop() {
    if (pid_ < 0) return;
    ask_to_end();
    reap();
}

void GuestProcess::reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    state_ = State::Ended;
    exit_status_ = WIFEXITED(status) ? WEXITSTATUS(status) : kExitFailure;
    channel_.reset();
}

}  // namespace acceld
