// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "vhost/message.hpp"
#include "vhost/session.hpp"

namespace vhost {

using base::UniqueFd;

enum class Progress : std::uint8_t {
    Open,
    Closed,   // by the front end
    Stopped,  // the stop descriptor became readable
};

// Receives what has arrived at the socket. A whole message goes to `handle`, as in
// Session::handle(), and what that returns goes back.
[[nodiscard]] std::expected<Progress, std::string> serve_message(
    MessageReader& reader, const UniqueFd& socket,
    const std::function<std::expected<std::optional<Bytes>, std::string>(Message)>& handle);

// One front end: its control socket and its virtqueue, served by one thread in turns,
// so that neither can starve the other.
class Connection {
 public:
    Connection(UniqueFd socket, Profile profile, Handler& handler, Observer& observer)
        : socket_(std::move(socket)),
          session_(std::move(profile), handler, observer),
          handler_(handler),
          observer_(observer) {}
    // What is being served refers to guest memory.
    ~Connection() { drain(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Waits up to `timeout_ms`, for ever if negative, until something is ready, and
    // serves it: at most one message and one ring's worth of chains. `stop_fd` may be
    // -1. An error is a front end that broke the protocol.
    [[nodiscard]] std::expected<Progress, std::string> step(int stop_fd, int timeout_ms);

    // Steps until it is over.
    [[nodiscard]] std::expected<Progress, std::string> run(int stop_fd);

    // Answers what is being served.
    void drain() { session_.queue().drain(handler_, observer_); }

    [[nodiscard]] const QueueStatistics& statistics() { return session_.queue().statistics(); }

 private:
    UniqueFd socket_;
    MessageReader reader_;
    Session session_;
    Handler& handler_;
    Observer& observer_;
};

}  // namespace vhost
