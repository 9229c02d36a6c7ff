// SPDX-License-Identifier: MIT
#include "daemon/systemd.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <format>
#include <optional>
#include <ranges>

#include <sys/socket.h>
#include <sys/un.h>

#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "vhost/failure.hpp"

namespace acceld {

namespace {

constexpr int kFirstPassed = 3;
constexpr int kMostPassed = 1024;

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [rest, error] = std::from_chars(text.begin(), text.end(), value);
    if (error != std::errc() || rest != text.end()) return std::nullopt;
    return value;
}

}  // namespace

std::expected<std::vector<PassedSocket>, std::string> passed_sockets() {
    if (number(environment("LISTEN_PID")) != ::getpid()) return {};
    const auto count = number(environment("LISTEN_FDS"));
    if (!count || *count < 0 || *count > kMostPassed)
        return std::unexpected(
            std::format("LISTEN_FDS: '{}' is no number of sockets", environment("LISTEN_FDS")));
    std::vector<PassedSocket> sockets;
    for (int i = 0; i < *count; ++i)
        sockets.push_back({kFirstPassed + i, std::format("descriptor {}", kFirstPassed + i)});
    for (auto&& [socket, name] :
         std::views::zip(sockets, std::views::split(environment("LISTEN_FDNAMES"), ':')))
        if (!name.empty()) socket.name = std::string_view(name);
    return sockets;
}

void notify_manager(std::string_view state) {
    const std::string_view path = environment("NOTIFY_SOCKET");
    if (path.empty()) return;
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.size() > sizeof(address.sun_path))
        return spdlog::warn("NOTIFY_SOCKET: a socket path has at most {} bytes",
                            sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    // An abstract address: all of its bytes count, so there is none at the end.
    if (path.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    const base::UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || ::sendto(socket.value(), state.data(), state.size(), MSG_NOSIGNAL,
                            reinterpret_cast<const sockaddr*>(&address), size) < 0)
        spdlog::warn("{}", vhost::failure("NOTIFY_SOCKET", errno).error());
}

}  // namespace acceld
