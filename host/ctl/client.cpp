// SPDX-License-Identifier: MIT
#include "ctl/client.hpp"

#include <array>
#include <cerrno>
#include <format>
#include <string_view>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/unique_fd.hpp"
#include "vhost/failure.hpp"

namespace ctl {

namespace {

using base::UniqueFd;
using vhost::failure;

// The daemon answers at once, if it is not in deep trouble.
constexpr timeval kPatience{.tv_sec = 10, .tv_usec = 0};

// More than a thousand guests have to say.
constexpr std::size_t kMaxAnswer = 64U << 20;

std::expected<UniqueFd, std::string> connect_to(const std::string& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.size() >= sizeof(address.sun_path)) {
        return std::unexpected(std::format("{}: a socket path has at most {} bytes", path,
                                           sizeof(address.sun_path) - 1));
    }
    path.copy(address.sun_path, path.size());
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return failure("socket", errno);
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
        ::setsockopt(socket.value(), SOL_SOCKET, option, &kPatience, sizeof(kPatience));
    if (::connect(socket.value(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
        0) {
        return failure(path, errno);
    }
    return socket;
}

std::expected<std::string, std::string> read_all(const UniqueFd& socket) {
    std::string all;
    std::array<char, 65536> bytes{};
    while (all.size() < kMaxAnswer) {
        const ssize_t got = ::recv(socket.value(), bytes.data(), bytes.size(), 0);
        if (got == 0) return all;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failure("recv", errno);
        all.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return std::unexpected("the answer has no end");
}

}  // namespace

std::expected<std::string, std::string> get(const std::string& socket, const std::string& path) {
    const auto connection = connect_to(socket);
    if (!connection) return std::unexpected(connection.error());
    const std::string request = std::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    if (::send(connection->value(), request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
        return failure(socket, errno);
    }
    auto answer = read_all(*connection);
    if (!answer) return std::unexpected(std::format("{}: {}", socket, answer.error()));
    const auto head = answer->find("\r\n\r\n");
    if (!answer->starts_with("HTTP/1.1 200 ") || head == std::string::npos)
        return std::unexpected(socket + ": it is no virtio-acceld that answers there");
    return answer->substr(head + 4);
}

}  // namespace ctl
