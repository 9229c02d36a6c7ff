// SPDX-License-Identifier: MIT
#include "xdna/store/channel.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <sys/socket.h>

#include <poll.h>

namespace xdna {

bool Channel::send(std::span<const std::byte> bytes, Deadline deadline) const {
    while (!bytes.empty()) {
        if (!ready(POLLOUT, deadline)) return false;
        const ssize_t sent =
            ::send(socket_.value(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool Channel::receive(std::span<std::byte> bytes, Deadline deadline) const {
    while (!bytes.empty()) {
        if (!ready(POLLIN, deadline)) return false;
        const ssize_t got = ::recv(socket_.value(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

bool Channel::ready(short events, Deadline deadline) const {
    using std::chrono::milliseconds;
    for (;;) {
        const auto left =
            std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left <= milliseconds::zero()) return false;
        pollfd socket{socket_.value(), events, 0};
        const int count =
            ::poll(&socket, 1, static_cast<int>(std::min(left, milliseconds(INT_MAX)).count()));
        if (count > 0) return true;
        if (count < 0 && errno != EINTR) return false;
    }
}

}  // namespace xdna
