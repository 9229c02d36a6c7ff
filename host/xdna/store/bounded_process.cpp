// SPDX-License-Identifier: MIT
#include "xdna/store/bounded_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

// glibc 2.41's header forgets to say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/nonblocking.hpp"
#include "base/unique_fd.hpp"
#include "xdna/store/confinement.hpp"
#include "xdna/store/work_directory.hpp"

namespace xdna {

namespace {

using base::UniqueFd;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Between two looks at what the process has written.
constexpr milliseconds kLook{100};
constexpr rlim_t kMostProcesses = 4096;  // of its user
constexpr rlim_t kMostOpenFiles = 1024;

struct Pipe {
    UniqueFd out, in;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{.out = UniqueFd(ends[0]), .in = UniqueFd(ends[1])};
}

struct Limit {
    __rlimit_resource resource;
    rlim_t most;
};

// All that a child needs, made before it: until it is another program it must not so much
// as allocate.
struct Start {
    const char* program;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    int directory, input, output, errors, failed;
    std::vector<Limit> limits;
    const Confinement* confinement;
    pid_t parent;
};

[[noreturn]] void give_up(const Start& start, const char* what, int error) {
    const NotStarted why{what, error};
    [[maybe_unused]] const ssize_t put = ::write(start.failed, &why, sizeof(why));
    ::_exit(127);
}

void limit(const Start& start) {
    for (const Limit& bound : start.limits) {
        rlimit now{};
        if (::getrlimit(bound.resource, &now) != 0) give_up(start, "getrlimit", errno);
        const rlim_t most = std::min(bound.most, now.rlim_max);
        now = {.rlim_cur = most, .rlim_max = most};
        if (::setrlimit(bound.resource, &now) != 0) give_up(start, "setrlimit", errno);
    }
}

[[noreturn]] void become(const Start& start) {
    if (::setsid() < 0) give_up(start, "setsid", errno);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != start.parent) ::_exit(127);
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    if (::fchdir(start.directory) != 0) give_up(start, "fchdir", errno);
    if (::dup2(start.input, 0) < 0 || ::dup2(start.output, 1) < 0 || ::dup2(start.errors, 2) < 0)
        give_up(start, "dup2", errno);
    if (::close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0) give_up(start, "close_range", errno);
    limit(start);
    if (const int error = start.confinement->enter(); error != 0)
        give_up(start, "confinement", error);
    ::execve(start.program, start.arguments.data(), start.environment.data());
    give_up(start, "execve", errno);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words)
        all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

// Of the end of what a pipe says, so many bytes.
class Tail {
 public:
    Tail(UniqueFd pipe, std::size_t most) : pipe_(std::move(pipe)), most_(most) {
        base::set_nonblocking(pipe_);
    }

    [[nodiscard]] int fd() const { return pipe_.value(); }
    // Some of what is there; false if there is nothing.
    bool read() {
        std::array<char, 64 << 10> some{};
        const ssize_t got = ::read(pipe_.value(), some.data(), some.size());
        if (got == 0) pipe_.reset();
        if (got <= 0) return false;
        text_.append(some.data(), static_cast<std::size_t>(got));
        if (text_.size() > most_) text_.erase(0, text_.size() - most_);
        return true;
    }
    // When nobody has the other end any more.
    std::string rest() {
        while (pipe_ && read()) {
        }
        return std::move(text_);
    }

 private:
    UniqueFd pipe_;
    std::size_t most_;
    std::string text_;
};

class Child {
 public:
    Child(pid_t pid, UniqueFd pidfd, const BoundedProcess& process, UniqueFd directory, Pipe output,
          Pipe errors)
        : pid_(pid),
          pidfd_(std::move(pidfd)),
          process_(process),
          directory_(std::move(directory)),
          output_(std::move(output.out), process.limits.output_bytes),
          errors_(std::move(errors.out), process.limits.output_bytes) {}

    // Whatever made it end: how it ended is known then.
    Ended wait() {
        const auto forced = watch();
        // The leader is not reaped before, so the group is still its own; and no member has
        // been able to leave it.
        ::kill(-pid_, SIGKILL);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        // Orphans have fallen to this process before their parents could be reaped.
        while (::waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR) {
        }
        Ended ended{.output = output_.rest(), .errors = errors_.rest()};
        const bool exited = WIFEXITED(status);
        ended.how = forced.value_or(exited ? Ended::How::Exited : Ended::How::Killed);
        ended.status = exited ? WEXITSTATUS(status) : WTERMSIG(status);
        return ended;
    }

 private:
    // Until it has ended by itself, or must.
    std::optional<Ended::How> watch() {
        const auto deadline = steady_clock::now() + process_.limits.time;
        for (auto look = steady_clock::now();;) {
            const auto now = steady_clock::now();
            if (now >= deadline) return Ended::How::OutOfTime;
            if (now >= look) {
                if (holds_more(directory_, process_.limits.work_bytes, process_.limits.work_files))
                    return Ended::How::OutOfSpace;
                look = steady_clock::now() + kLook;
            }
            const auto until = std::chrono::ceil<milliseconds>(std::min(deadline, look) - now);
            std::array<pollfd, 4> ready{
                pollfd{pidfd_.value(), POLLIN, 0}, pollfd{process_.stop_fd, POLLIN, 0},
                pollfd{output_.fd(), POLLIN, 0}, pollfd{errors_.fd(), POLLIN, 0}};
            const int timeout = static_cast<int>(std::max<long>(until.count(), 0));
            if (::poll(ready.data(), ready.size(), timeout) <= 0) continue;
            if (ready[0].revents != 0) return std::nullopt;
            if (ready[1].revents != 0) return Ended::How::Stopped;
            if (ready[2].revents != 0) output_.read();
            if (ready[3].revents != 0) errors_.read();
        }
    }

    pid_t pid_;
    UniqueFd pidfd_;
    const BoundedProcess& process_;
    UniqueFd directory_;
    Tail output_, errors_;
};

std::vector<Limit> limits_of(const ProcessLimits& limits) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(limits.time).count();
    // Should this process be killed, what it has started ends by this.
    const rlim_t processors = std::max(1U, std::thread::hardware_concurrency());
    return {{RLIMIT_CORE, 0},
            {RLIMIT_AS, limits.memory},
            {RLIMIT_CPU, static_cast<rlim_t>(seconds) * processors + 1},
            {RLIMIT_FSIZE, limits.file_bytes},
            {RLIMIT_NPROC, kMostProcesses},
            {RLIMIT_NOFILE, kMostOpenFiles}};
}

std::unexpected<NotStarted> not_started(const char* what, int error) {
    return std::unexpected(NotStarted{what, error});
}

}  // namespace

std::expected<Ended, NotStarted> run(const BoundedProcess& process) {
    UniqueFd directory(::open(process.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    auto output = make_pipe();
    auto errors = make_pipe();
    auto failed = make_pipe();
    if (!directory || !input || !output || !errors || !failed) return not_started("open", errno);
    const auto confinement = Confinement::prepare(directory);
    if (!confinement) return not_started("confinement", confinement.error());
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return not_started("subreaper", errno);

    std::vector<std::string> arguments{process.program};
    arguments.insert(arguments.end(), process.arguments.begin(), process.arguments.end());
    const std::string home = process.directory;
    std::vector<std::string> environment{"PATH=/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home,
                                         "LC_ALL=C.UTF-8"};
    const Start start{.program = process.program.c_str(),
                      .arguments = pointers(arguments),
                      .environment = pointers(environment),
                      .directory = directory.value(),
                      .input = input.value(),
                      .output = output->in.value(),
                      .errors = errors->in.value(),
                      .failed = failed->in.value(),
                      .limits = limits_of(process.limits),
                      .confinement = &*confinement,
                      .parent = ::getpid()};
    const pid_t pid = ::fork();
    if (pid < 0) return not_started("fork", errno);
    if (pid == 0) become(start);

    output->in.reset();
    errors->in.reset();
    failed->in.reset();
    UniqueFd pidfd(::pidfd_open(pid, 0));
    NotStarted why{.what = "pidfd_open", .error = errno};
    if (!pidfd) ::kill(pid, SIGKILL);
    ssize_t got = 0;
    while ((got = ::read(failed->out.value(), &why, sizeof(why))) < 0 && errno == EINTR) {
    }
    if (got == 0 && pidfd)
        return Child(pid, std::move(pidfd), process, std::move(directory), std::move(*output),
                     std::move(*errors))
            .wait();
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return std::unexpected(why);
}

}  // namespace xdna
