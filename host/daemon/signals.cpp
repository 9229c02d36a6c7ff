// SPDX-License-Identifier: MIT
#include "daemon/signals.hpp"

#include <cerrno>
#include <csignal>

#include <sys/signalfd.h>

#include "vhost/failure.hpp"

namespace acceld {

using vhost::failure;

std::expected<base::UniqueFd, std::string> catch_signals() {
    // An event descriptor may be a pipe that the front end has closed.
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr); error != 0) {
        return failure("pthread_sigmask", error);
    }
    base::UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd) return failure("signalfd", errno);
    return fd;
}

}  // namespace acceld
