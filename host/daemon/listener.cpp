// SPDX-License-Identifier: MIT
#include "daemon/listener.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/nonblocking.hpp"
#include "vhost/failure.hpp"

namespace acceld {

namespace {

using base::UniqueFd;
using vhost::failure;

// One front end is served and one may wait.
constexpr int kBacklog = 1;

UniqueFd make_socket() {
    return UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int bind_to(const UniqueFd& socket, const sockaddr_un& address) {
    const mode_t old = ::umask(0177);
    const int bound =
        ::bind(socket.value(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    const int error = errno;
    ::umask(old);
    return bound == 0 ? 0 : error;
}

// Removes the file if it is a socket that nobody listens on.
std::expected<void, std::string> remove_stale(const sockaddr_un& address) {
    const std::string path = address.sun_path;
    struct stat file{};
    if (::lstat(path.c_str(), &file) != 0) return failure(path, errno);
    // connect() would refuse any other kind of file just like an abandoned socket.
    if (!S_ISSOCK(file.st_mode)) return std::unexpected(path + ": exists and is not a socket");
    const UniqueFd probe = make_socket();
    if (!probe) return failure("socket", errno);
    if (::connect(probe.value(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
            0 ||
        errno == EAGAIN) {
        return std::unexpected(path + ": another process is listening there");
    }
    if (errno != ECONNREFUSED) return failure(path, errno);
    if (::unlink(path.c_str()) != 0) return failure(path, errno);
    return {};
}

}  // namespace

std::expected<Listener, std::string> Listener::bind(const std::string& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.size() >= sizeof(address.sun_path)) {
        return std::unexpected(std::format("{}: a socket path has at most {} bytes", path,
                                           sizeof(address.sun_path) - 1));
    }
    path.copy(address.sun_path, path.size());

    Listener listener(make_socket(), path);
    if (!listener.socket_) return failure("socket", errno);
    int error = bind_to(listener.socket_, address);
    if (error == EADDRINUSE) {
        if (auto removed = remove_stale(address); !removed) {
            return std::unexpected(removed.error());
        }
        error = bind_to(listener.socket_, address);
    }
    if (error != 0) return failure(path, error);
    struct stat file{};
    if (::lstat(path.c_str(), &file) != 0) return failure(path, errno);
    listener.file_ = File{file.st_dev, file.st_ino};
    if (::listen(listener.socket_.value(), kBacklog) != 0) return failure(path, errno);
    return listener;
}

Listener Listener::adopt(UniqueFd socket, std::string name) {
    ::fcntl(socket.value(), F_SETFD, FD_CLOEXEC);
    // Between poll() and accept() a front end may leave.
    base::set_nonblocking(socket);
    return {std::move(socket), std::move(name)};
}

Listener::Listener(Listener&& other) noexcept
    : socket_(std::move(other.socket_)),
      name_(std::move(other.name_)),
      file_(std::exchange(other.file_, std::nullopt)) {}

Listener& Listener::operator=(Listener&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(name_, other.name_);
    std::swap(file_, other.file_);
    return *this;
}

Listener::~Listener() {
    if (!file_) return;
    // Somebody may have put a socket of their own in its place.
    struct stat now{};
    if (::lstat(name_.c_str(), &now) == 0 && now.st_dev == file_->device &&
        now.st_ino == file_->inode) {
        ::unlink(name_.c_str());
    }
}

std::expected<std::optional<UniqueFd>, std::string> Listener::accept() const {
    UniqueFd front_end(::accept4(socket_.value(), nullptr, nullptr, SOCK_CLOEXEC));
    if (front_end) return front_end;
    if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) return std::nullopt;
    return failure("accept", errno);
}

}  // namespace acceld
