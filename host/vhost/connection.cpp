// SPDX-License-Identifier: MIT
#include "vhost/connection.hpp"

#include <array>
#include <cerrno>

#include <poll.h>

#include "vhost/failure.hpp"

namespace vhost {

std::expected<Progress, std::string> serve_message(
    MessageReader& reader, const UniqueFd& socket,
    const std::function<std::expected<std::optional<Bytes>, std::string>(Message)>& handle) {
    const auto received = reader.receive(socket.value());
    if (!received) return std::unexpected(received.error());
    if (*received == Received::Closed) return Progress::Closed;
    if (*received == Received::Partial) return Progress::Open;

    Message message = reader.take();
    const std::uint32_t request = message.request;
    const auto reply = handle(std::move(message));
    if (!reply) return std::unexpected(reply.error());
    if (*reply) {
        if (auto sent = send_reply(socket.value(), request, **reply); !sent) {
            return std::unexpected(sent.error());
        }
    }
    return Progress::Open;
}

std::expected<Progress, std::string> Connection::step(int stop_fd, int timeout_ms) {
    Virtqueue& queue = session_.queue();
    // A negative descriptor is one that poll() leaves alone.
    std::array ready{pollfd{stop_fd, POLLIN, 0}, pollfd{socket_.value(), POLLIN, 0},
                     pollfd{queue.runnable() ? queue.kick_fd() : -1, POLLIN, 0},
                     pollfd{handler_.progress_fd(), POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), queue.pending() ? 0 : timeout_ms) < 0) {
        if (errno == EINTR) return Progress::Open;
        return failure("poll", errno);
    }
    if (ready[0].revents != 0) return Progress::Stopped;
    if (ready[2].revents != 0) queue.on_kick(observer_);
    if (ready[3].revents != 0) queue.advance(handler_, observer_);
    if (ready[1].revents != 0) {
        const auto progress = serve_message(reader_, socket_, [this](Message message) {
            return session_.handle(std::move(message));
        });
        if (!progress || *progress != Progress::Open) return progress;
    }
    if (queue.pending()) queue.serve(handler_, observer_);
    if (session_.memory_lost()) return std::unexpected("guest memory was taken away under it");
    return Progress::Open;
}

std::expected<Progress, std::string> Connection::run(int stop_fd) {
    for (;;) {
        const auto progress = step(stop_fd, -1);
        if (!progress || *progress != Progress::Open) return progress;
    }
}

}  // namespace vhost
