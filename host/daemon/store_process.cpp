// SPDX-License-Identifier: MIT
#include "daemon/store_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <vector>

// glibc 2.41's header forgets to say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}
#include <sys/socket.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "daemon/fd_passing.hpp"
#include "daemon/log.hpp"
#include "daemon/obituary.hpp"
#include "daemon/order.hpp"
#include "daemon/programs.hpp"
#include "vhost/failure.hpp"

namespace acceld {

using base::UniqueFd;
using vhost::failure;

namespace {

// A descriptor of the store.
constexpr int kControl = 3;

struct Ends {
    UniqueFd ours;
    UniqueFd theirs;
};

std::expected<Ends, std::string> socket_pair(int type) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return failure("socketpair", errno);
    return Ends{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Where a compiler's own files are: in its folder, or around that if it is called bin.
void add_folder_of(const std::filesystem::path& program, sandbox::View::Paths& paths) {
    const auto folder = program.parent_path();
    paths.push_back(folder.filename() == "bin" ? folder.parent_path() : folder);
}

sandbox::View view_of(const XdnaStoreChoice& choice, const std::filesystem::path& program) {
    sandbox::View view{.readable = {program.parent_path()}, .executable = {}, .devices = {}};
    if (!choice.catalogue.empty()) view.readable.emplace_back(choice.catalogue);
    if (!choice.cache.empty()) view.writable.emplace_back(choice.cache);
    if (choice.compiler.empty()) return view;
    std::error_code error;  // says the store
    add_folder_of(std::filesystem::absolute(choice.compiler, error), view.readable);
    add_folder_of(std::filesystem::canonical(choice.compiler, error), view.readable);
    return view;
}

std::vector<std::string> arguments_of(const XdnaStoreChoice& choice) {
    std::vector<std::string> words{"--control-fd", std::to_string(kControl)};
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) words.insert(words.end(), {option, value});
    };
    add("--catalogue", choice.catalogue);
    add("--cache", choice.cache);
    add("--compiler", choice.compiler);
    if (!choice.compiler.empty())
        add("--compile-timeout", std::to_string(choice.compile_timeout.count()));
    return words;
}

// The child of a fork.
[[noreturn]] void become_store(const std::filesystem::path& program, const XdnaStoreChoice& choice,
                               const sandbox::Policy& policy, int control) {
    // What a terminal's interrupt ends is the supervisor, and that this one in turn.
    ::setpgid(0, 0);
    ::dup2(control, kControl);  // which is open on exec, unless they are the same
    ::fcntl(kControl, F_SETFD, 0);
    close_all_but({kControl});
    if (const auto done = sandbox::confine_helper(policy, view_of(choice, program)); !done) {
        complain(done.error());
        ::_exit(kExitFailure);
    }
    std::vector<std::string> arguments = arguments_of(choice);
    std::string name = program.filename();
    std::vector<char*> words{name.data()};
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    complain(vhost::failure(program.native(), errno).error());
    ::_exit(kExitFailure);
}

}  // namespace

std::expected<StoreProcess, std::string> StoreProcess::start(const XdnaStoreChoice& choice,
                                                             const sandbox::Policy& policy) {
    const auto program = store_program();
    if (program.empty())
        return std::unexpected(
            "virtio-accel-xdna-store is not where it belongs, or not for this user to run");
    auto control = socket_pair(SOCK_SEQPACKET);
    if (!control) return std::unexpected(control.error());
    const pid_t pid = ::fork();
    if (pid < 0) return failure("fork", errno);
    if (pid == 0) become_store(program, choice, policy, control->theirs.value());
    StoreProcess store(pid, UniqueFd(::pidfd_open(pid, 0)), std::move(control->ours));
    if (!store.pidfd_) return failure("pidfd_open", errno);
    return store;
}

StoreProcess::~StoreProcess() {
    if (pid_ < 0) return;
    control_.reset();
    pollfd ended{pidfd_.value(), POLLIN, 0};
    if (::poll(&ended, 1, static_cast<int>(kPatience.count())) <= 0) ::kill(pid_, SIGKILL);
    wait();
}

std::expected<UniqueFd, std::string> StoreProcess::connect() const {
    auto connection = socket_pair(SOCK_STREAM);
    if (!connection) return std::unexpected(connection.error());
    // A store that does not take it is lost, which the connection's end will say.
    static_cast<void>(send_order(control_.value(), Order::Kind::Store, connection->theirs));
    return std::move(connection->ours);
}

std::string StoreProcess::bury() {
    return describe_end(wait());
}

int StoreProcess::wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    pidfd_.reset();
    control_.reset();
    return status;
}

}  // namespace acceld
