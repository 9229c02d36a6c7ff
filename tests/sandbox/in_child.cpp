// SPDX-License-Identifier: MIT
#include "sandbox/in_child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/wait.h>

#include <doctest/doctest.h>
#include <unistd.h>

namespace sandbox_test {

namespace {

constexpr int kNotConfined = 255;
constexpr int kWithoutErrno = 254;

}  // namespace

std::string outcome(const std::function<sandbox::Result()>& confine,
                    const std::function<long()>& attempt) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // doctest's handlers would tell of a signal as a crash of the test.
        for (const int signal : {SIGSYS, SIGSEGV, SIGABRT, SIGTERM})
            std::signal(signal, SIG_DFL);
        if (!confine()) ::_exit(kNotConfined);
        errno = 0;
        if (attempt() >= 0) ::_exit(0);
        ::_exit(errno == 0 ? kWithoutErrno : errno);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) return std::string("SIG") + ::sigabbrev_np(WTERMSIG(status));
    const int error = WEXITSTATUS(status);
    REQUIRE(error != kNotConfined);
    if (error == kWithoutErrno) return "no";
    return error == 0 ? "ok" : ::strerrorname_np(error);
}

}  // namespace sandbox_test
