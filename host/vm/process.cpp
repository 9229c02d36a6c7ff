// SPDX-License-Identifier: MIT
#include "vm/process.hpp"

#include <csignal>
#include <ranges>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>

// glibc 2.41's header forgets to say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}

namespace vm {
namespace {

constexpr int kGraceMilliseconds = 3000;

// Runs in the child until exec: only async-signal-safe calls. Gives up with errno.
int become(const std::vector<char*>& argv, const SpawnOptions& options, int log, pid_t parent) {
    // A parent that was killed has no destructor; a parent already gone sends no signal.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) return ESRCH;

    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);

    if (!options.foreground) {
        ::setpgid(0, 0);
        const int nothing = ::open("/dev/null", O_RDONLY);
        if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) return errno;
        if (log >= 0 && ::dup2(log, STDOUT_FILENO) < 0) return errno;
    }
    if (log >= 0 && ::dup2(log, STDERR_FILENO) < 0) return errno;
    if (options.output >= 0 && ::dup2(options.output, STDOUT_FILENO) < 0) return errno;
    for (const int fd : options.inherit)
        if (::fcntl(fd, F_SETFD, 0) < 0) return errno;

    ::execvp(argv[0], argv.data());
    return errno;
}

}  // namespace

Result<Child> Child::spawn(std::vector<std::string> argv, const SpawnOptions& options) {
    std::vector<char*> words;
    for (auto& word : argv)
        words.push_back(word.data());
    words.push_back(nullptr);

    UniqueFd log;
    if (!options.log.empty()) {
        log =
            UniqueFd(::open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        if (!log) return fail("{}: {}", options.log.native(), errno_text(errno));
    }
    // Carries the errno of a failed exec; a good exec closes it.
    int verdict[2];
    if (::pipe2(verdict, O_CLOEXEC) < 0) return fail("pipe: {}", errno_text(errno));
    const UniqueFd verdict_in(verdict[0]);
    UniqueFd verdict_out(verdict[1]);

    Child child;
    const pid_t parent = ::getpid();
    child.pid_ = ::fork();
    if (child.pid_ < 0) return fail("fork: {}", errno_text(errno));
    if (child.pid_ == 0) {
        const int error = become(words, options, log.value(), parent);
        static_cast<void>(!::write(verdict[1], &error, sizeof error));
        ::_exit(127);
    }
    verdict_out = {};
    if (!options.foreground) child.group_ = child.pid_;
    child.log_ = options.log;
    child.pidfd_ = UniqueFd(::pidfd_open(child.pid_, 0));
    if (!child.pidfd_) return fail("pidfd_open: {}", errno_text(errno));

    int error = 0;
    if (::read(verdict_in.value(), &error, sizeof error) == sizeof error) {
        // It ends by itself. Stopping it instead would run our signal handlers in it.
        child.wait();
        return fail("cannot run {}: {}", argv[0], errno_text(error));
    }
    return child;
}

std::optional<ExitStatus> Child::reap(int flags) {
    if (status_) return status_;
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags) < 0 ||
        info.si_pid == 0)
        return std::nullopt;
    // What it started and left behind ends with it. Before the leader is reaped, since
    // only until then the group id cannot be somebody else's.
    if (group_ != 0) ::kill(-group_, SIGKILL);
    int status = 0;
    if (::waitpid(pid_, &status, 0) == pid_)
        status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return status_;
}

std::optional<ExitStatus> Child::ended() {
    return reap(WNOHANG);
}

ExitStatus Child::wait() {
    while (!reap(0))
        continue;
    return *status_;
}

void Child::stop() {
    if (!pidfd_ || ended()) return;
    ::pidfd_send_signal(pidfd(), SIGTERM, nullptr, 0);
    pollfd end{pidfd(), POLLIN, 0};
    ::poll(&end, 1, kGraceMilliseconds);
    if (!ended()) ::pidfd_send_signal(pidfd(), SIGKILL, nullptr, 0);
    wait();
}

std::string Child::obituary() {
    auto text = std::format("status {}", wait());
    std::string last;
    if (const auto log = read_file(log_))
        for (const auto line : std::views::split(*log, '\n'))
            if (!line.empty()) last.assign(line.begin(), line.end());
    return last.empty() ? text : text + ", " + last;
}

Result<std::string> output_of(const std::vector<std::string>& argv) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) < 0) return fail("pipe: {}", errno_text(errno));
    const UniqueFd in(ends[0]);
    UniqueFd out(ends[1]);
    SpawnOptions options;
    options.output = out.value();
    auto child = Child::spawn(argv, options);
    if (!child) return std::unexpected(child.error());
    out = {};

    auto text = read_all(in.value());
    if (!text) return fail("{}: {}", argv[0], errno_text(errno));
    if (const auto status = child->wait(); status != 0)
        return fail("{} {}: status {}", argv[0], argv.back(), status);
    return std::move(*text);
}

}  // namespace vm
