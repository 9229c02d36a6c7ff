// SPDX-License-Identifier: MIT
#include "daemon/control.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace acceld {

namespace {

bool try_later(ssize_t result) {
    return result < 0 && (errno == EAGAIN || errno == EINTR);
}

}  // namespace

std::expected<Control, std::string> Control::bind(const std::string& path) {
    return Listener::bind(path).transform(
        [](Listener listener) { return Control(std::move(listener)); });
}

std::vector<pollfd> Control::wanted() const {
    std::vector<pollfd> all{{listener_.fd(), POLLIN, 0}};
    for (const Client& client : clients_) {
        const short events = client.unsent.empty() ? POLLIN : POLLOUT;
        all.push_back({client.socket.value(), events, 0});
    }
    return all;
}

void Control::progress(std::span<const pollfd> ready, const Answer& answer) {
    std::deque<Client> left;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (ready[i + 1].revents == 0 || serve(clients_[i], answer))
            left.push_back(std::move(clients_[i]));
    }
    clients_ = std::move(left);
    if (ready[0].revents != 0) accept();
}

void Control::accept() {
    auto socket = listener_.accept();
    // For want of descriptors, perhaps, of which there is one more then.
    const bool full = clients_.size() == kMostClients || !socket;
    if (full && !clients_.empty()) clients_.pop_front();
    if (socket && *socket) clients_.push_back({.socket = *std::move(*socket)});
}

bool Control::serve(Client& client, const Answer& answer) {
    if (client.unsent.empty() && !receive(client, answer)) return false;
    if (client.unsent.empty()) return true;
    const ssize_t sent = ::send(client.socket.value(), client.unsent.data(), client.unsent.size(),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return try_later(sent);
    client.unsent.erase(0, static_cast<std::size_t>(sent));
    return !client.unsent.empty();
}

bool Control::receive(Client& client, const Answer& answer) {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::recv(client.socket.value(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got <= 0) return try_later(got);
    client.received.append(bytes.data(), static_cast<std::size_t>(got));
    const auto path = requested_path(client.received);
    if (!path)
        client.unsent = to_bytes(path.error());
    else if (*path)
        client.unsent = to_bytes(answer(**path));
    return true;
}

}  // namespace acceld
