// SPDX-License-Identifier: MIT
#include "daemon/sockets.hpp"

#include <cerrno>
#include <format>
#include <utility>

#include <sys/socket.h>

#include "vhost/failure.hpp"

namespace acceld {

namespace {

using base::UniqueFd;

std::expected<int, std::string> socket_option(int fd, int option, std::string_view name) {
    int value = 0;
    socklen_t size = sizeof(value);
    if (::getsockopt(fd, SOL_SOCKET, option, &value, &size) != 0)
        return vhost::failure(name, errno);
    return value;
}

// Whether it listens, of a socket that a front end can be at the other end of.
std::expected<bool, std::string> is_listening(int fd, std::string_view name) {
    const auto domain = socket_option(fd, SO_DOMAIN, name);
    if (!domain) return std::unexpected(domain.error());
    const auto type = socket_option(fd, SO_TYPE, name);
    if (!type) return std::unexpected(type.error());
    if (*domain != AF_UNIX || *type != SOCK_STREAM)
        return std::unexpected(std::format("{}: it is not a Unix stream socket", name));
    return socket_option(fd, SO_ACCEPTCONN, name).transform([](int value) { return value != 0; });
}

}  // namespace

std::expected<Sockets, std::string> open_sockets(const Options& options) {
    Sockets sockets;
    for (const std::string& path : options.socket_paths) {
        auto listener = Listener::bind(path);
        if (!listener) return std::unexpected(listener.error());
        sockets.listening.push_back(*std::move(listener));
    }
    for (const auto& [fd, name] : options.passed_sockets) {
        const auto listening = is_listening(fd, name);
        if (!listening) return std::unexpected(listening.error());
        if (!*listening) return std::unexpected(name + ": it does not listen");
        sockets.listening.push_back(Listener::adopt(UniqueFd(fd), name));
    }
    if (!options.fd) return sockets;
    const auto listening = is_listening(*options.fd, "--fd");
    if (!listening) return std::unexpected(listening.error());
    if (*listening)
        sockets.listening.push_back(
            Listener::adopt(UniqueFd(*options.fd), std::format("descriptor {}", *options.fd)));
    else if (sockets.listening.empty())
        sockets.connected.reset(*options.fd);
    else
        return std::unexpected("--fd: a front end that is connected is the only one");
    return sockets;
}

}  // namespace acceld
