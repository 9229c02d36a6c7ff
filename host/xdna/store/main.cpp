// SPDX-License-Identifier: MIT
//
// virtio-accel-xdna-store: the store of kernels as a process, for workers that may neither
// open files nor start programs (docs/providers/xdna-compiler.md).
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <format>
#include <mutex>
#include <optional>
#include <string>

#include <sys/signalfd.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <unistd.h>

#include "base/command.hpp"
#include "sandbox/privileges.hpp"
#include "xdna/store/direct.hpp"
#include "xdna/store/server.hpp"

namespace {

using base::UniqueFd;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kAbout =
    "Give kernels of an AMD NPU to workers of virtio-acceld, which starts this program by itself.";
constexpr const char* kFooter =
    "Exit status: 0 when there is nobody to serve any more, or at SIGTERM or SIGINT; 1 when\n"
    "something failed; 2 for wrong usage.";

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

struct Options {
    xdna::StoreOptions store;
    std::optional<int> control_fd;
    std::optional<int> client_fd;
};

void say(const std::string& line) {
    base::say("virtio-accel-xdna-store: " + line);
}

// Guests can have lines written at will.
class LimitedLog {
 public:
    void operator()(const std::string& line) {
        const std::lock_guard lock(mutex_);
        const auto now = steady_clock::now();
        if (now - since_ >= kPeriod) {
            if (lines_ > kLines) say(std::format("{} lines were left out", lines_ - kLines));
            since_ = now;
            lines_ = 0;
        }
        if (++lines_ <= kLines) say(line);
    }

 private:
    static constexpr std::uint64_t kLines = 10;
    static constexpr seconds kPeriod{60};

    std::mutex mutex_;
    steady_clock::time_point since_ = steady_clock::now();
    std::uint64_t lines_ = 0;
};

std::expected<Options, int> parse(int argc, char** argv) {
    Options options;
    CLI::App app{kAbout, "virtio-accel-xdna-store"};
    app.footer(kFooter);
    app.add_option("--catalogue", options.store.catalogue,
                   "Take kernels from this directory, which is only read")
        ->type_name("DIR");
    auto* cache = app.add_option("--cache", options.store.cache,
                                 "Keep what was compiled in this directory, which is private")
                      ->type_name("DIR");
    auto* compiler = app.add_option("--compiler", options.store.compiler,
                                    "Have this program compile what is in neither")
                         ->type_name("PROGRAM");
    cache->needs(compiler);
    compiler->needs(cache);
    app.add_option_function<unsigned>(
           "--compile-timeout", [&](unsigned value) { options.store.limits.time = seconds(value); },
           "Seconds after which a compiler is killed")
        ->check(CLI::Range(1, 86400))
        ->default_str("240")
        ->needs(compiler);
    auto* sockets = app.add_option_group("Whom to serve");
    sockets
        ->add_option("--control-fd", options.control_fd,
                     "Who is connected to the sockets that come as rights over this one")
        ->check(CLI::NonNegativeNumber);
    sockets->add_option("--client-fd", options.client_fd, "Who is connected to this socket")
        ->check(CLI::NonNegativeNumber);
    sockets->require_option(1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return std::unexpected(app.exit(error) == 0 ? 0 : kExitUsage);
    }
    return options;
}

// Readable when the process is to end. For this thread and all that it starts.
UniqueFd catch_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTERM);
    ::sigaddset(&signals, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC));
}

// The socket of a message, of which everything else is ignored; nothing if there will be none.
std::optional<UniqueFd> receive_socket(const UniqueFd& control) {
    std::array<std::byte, 256> contents{};
    iovec piece{contents.data(), contents.size()};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> rights{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = rights.data();
    message.msg_controllen = rights.size();
    const ssize_t got = ::recvmsg(control.value(), &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) return UniqueFd();
    if (got <= 0) return std::nullopt;
    const cmsghdr* first = CMSG_FIRSTHDR(&message);
    if (first == nullptr || first->cmsg_level != SOL_SOCKET || first->cmsg_type != SCM_RIGHTS ||
        first->cmsg_len != CMSG_LEN(sizeof(int)))
        return UniqueFd();
    int socket = -1;
    std::memcpy(&socket, CMSG_DATA(first), sizeof(socket));
    return UniqueFd(socket);
}

void serve(const Options& options, xdna::Server& server, const UniqueFd& signals) {
    const UniqueFd control(options.control_fd.value_or(-1));
    if (options.client_fd) server.add(UniqueFd(*options.client_fd));
    for (;;) {
        std::array<pollfd, 2> ready{
            pollfd{signals.value(), POLLIN, 0},
            pollfd{control ? control.value() : server.gone_fd(), POLLIN, 0}};
        if (::poll(ready.data(), ready.size(), -1) < 0) continue;
        if (ready[0].revents != 0 || (ready[1].revents != 0 && !control)) return;
        if (ready[1].revents == 0) continue;
        auto socket = receive_socket(control);
        if (!socket) return;
        if (*socket) server.add(std::move(*socket));
    }
}

bool is_socket(int fd) {
    int type = 0;
    socklen_t bytes = sizeof(type);
    return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0;
}

int run(Options options) {
    if (!is_socket(options.control_fd ? *options.control_fd : *options.client_fd)) {
        say("the descriptor is no socket");
        return kExitFailure;
    }
    const auto confined = sandbox::give_up_privileges(std::nullopt)
                              .and_then(sandbox::keep_memory_private)
                              .and_then(sandbox::limit_open_files);
    if (!confined) {
        say(confined.error());
        return kExitFailure;
    }
    ::signal(SIGPIPE, SIG_IGN);  // the log's, perhaps
    const UniqueFd signals = catch_signals();
    LimitedLog log;
    options.store.log = [&log](const std::string& line) { log(line); };
    const auto store = xdna::DirectStore::open(options.store);
    if (!store) {
        say(store.error());
        return kExitFailure;
    }
    // A kernel that takes no longer than it may is to reach who wants it.
    xdna::Server server(**store, {.answer = options.store.limits.time + seconds(30)});
    serve(options, server, signals);
    (*store)->stop();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return base::run_command("virtio-accel-xdna-store", [&] {
        auto options = parse(argc, argv);
        return options ? run(std::move(*options)) : options.error();
    });
}
