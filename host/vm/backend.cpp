// SPDX-License-Identifier: MIT
#include "vm/backend.hpp"

#include <cerrno>
#include <chrono>

#include <sys/socket.h>
#include <sys/un.h>

#include <poll.h>

namespace vm {
namespace {

using std::chrono::steady_clock;

constexpr auto kListenLimit = std::chrono::seconds(30);
constexpr int kListenPollMilliseconds = 10;

std::expected<UniqueFd, int> connect_to(const std::filesystem::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.native().size() >= sizeof address.sun_path) return std::unexpected(ENAMETOOLONG);
    path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return std::unexpected(errno);
    if (::connect(fd.value(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
        return std::unexpected(errno);
    return fd;
}

Result<std::vector<std::string>> daemon_command(const Options& options, const std::string& path) {
    if (!options.daemon.empty())
        return std::vector<std::string>{
            "sh", "-c", options.daemon + " \"$@\"", "sh", "--socket-path", path};
    const auto program = find_beside("../daemon/virtio-acceld", "virtio-acceld");
    if (program.empty())
        return fail("virtio-acceld is not beside accel-vm: build it, or name it with --daemon");
    std::vector<std::string> command{program.native(), "--socket-path", path, "--provider",
                                     options.provider};
    if (!options.device.empty()) command.insert(command.end(), {"--device", options.device});
    return command;
}

Result<UniqueFd> wait_for_listener(Child& daemon, const std::filesystem::path& path,
                                   int interrupt) {
    const auto limit = steady_clock::now() + kListenLimit;
    while (steady_clock::now() < limit) {
        auto connection = connect_to(path);
        if (connection) return std::move(*connection);
        if (connection.error() != ENOENT && connection.error() != ECONNREFUSED)
            return fail("{}: {}", path.native(), errno_text(connection.error()));

        pollfd events[]{{daemon.pidfd(), POLLIN, 0}, {interrupt, POLLIN, 0}};
        ::poll(events, 2, kListenPollMilliseconds);
        if (events[1].revents != 0) return fail("interrupted");
        if (daemon.ended())
            return fail("the daemon ended before it listened: {}", daemon.obituary());
    }
    return fail("the daemon does not listen after {}", kListenLimit);
}

// Its socket and its log are `base` with an extension.
Result<Backend> start_daemon(const Options& options, const std::filesystem::path& base,
                             int interrupt) {
    const auto path = base.native() + ".sock";
    auto command = daemon_command(options, path);
    if (!command) return std::unexpected(command.error());
    SpawnOptions spawn;
    if (!options.verbose) spawn.log = base.native() + ".log";
    auto daemon = Child::spawn(std::move(*command), spawn);
    if (!daemon) return std::unexpected(daemon.error());
    auto connection = wait_for_listener(*daemon, path, interrupt);
    if (!connection) return std::unexpected(connection.error());
    return Backend{.daemon = std::move(*daemon), .connection = std::move(*connection)};
}

}  // namespace

std::filesystem::path find_beside(const std::filesystem::path& built,
                                  const std::filesystem::path& installed) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const auto& candidate : {here / built, here / installed})
        if (std::filesystem::exists(candidate, error)) return candidate.lexically_normal();
    return {};
}

Result<std::vector<Backend>> open_backends(const Options& options,
                                           const std::filesystem::path& directory, int interrupt) {
    std::vector<Backend> backends;
    for (const auto& socket : options.sockets) {
        auto connection = connect_to(socket);
        if (!connection)
            return fail("no daemon at {}: {}", socket.native(), errno_text(connection.error()));
        backends.push_back({.daemon = {}, .connection = std::move(*connection)});
    }
    if (!options.sockets.empty()) return backends;
    for (unsigned i = 0; i < options.devices; ++i) {
        auto backend = start_daemon(options, directory / std::format("accel{}", i), interrupt);
        if (!backend) return std::unexpected(backend.error());
        backends.push_back(std::move(*backend));
    }
    return backends;
}

}  // namespace vm
