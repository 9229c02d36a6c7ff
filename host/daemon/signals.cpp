// SPDX-License-Identifier: MIT
#include "daemon/signals.hpp"

#include <cerrno>
#include <csignal>

#include <sys/signalfd.h>

#include <unistd.h>

#include "vhost/failure.hpp"

namespace acceld {

using vhost::failure;

std::expected<base::UniqueFd, std::string> catch_signals(bool hangup) {
    // An event descriptor may be a pipe that the front end has closed.
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (hangup) sigaddset(&signals, SIGHUP);
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr); error != 0) {
        return failure("pthread_sigmask", error);
    }
    base::UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) return failure("signalfd", errno);
    return fd;
}

int take_signal(const base::UniqueFd& signals) {
    signalfd_siginfo info{};
    const ssize_t got = ::read(signals.value(), &info, sizeof(info));
    return got == sizeof(info) ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace acceld
