// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"

namespace xdna {

// A connected stream socket whose other end is not trusted: nothing here blocks longer than
// it is told to.
class Channel {
 public:
    using Deadline = std::chrono::steady_clock::time_point;

    Channel() = default;
    explicit Channel(base::UniqueFd socket) : socket_(std::move(socket)) {}

    // All the bytes in time, or the channel is of no more use.
    [[nodiscard]] bool send(std::span<const std::byte> bytes, Deadline deadline) const;
    [[nodiscard]] bool receive(std::span<std::byte> bytes, Deadline deadline) const;

    [[nodiscard]] int fd() const { return socket_.value(); }
    [[nodiscard]] bool open() const { return static_cast<bool>(socket_); }
    void close() { socket_.reset(); }

 private:
    [[nodiscard]] bool ready(short events, Deadline deadline) const;

    base::UniqueFd socket_;
};

template <class T>
    requires std::has_unique_object_representations_v<T>
[[nodiscard]] std::span<std::byte> bytes_of(T& message) {
    return std::as_writable_bytes(std::span<T, 1>(&message, 1));
}

// A header with what follows it, to be sent at once.
template <class T>
[[nodiscard]] std::vector<std::byte> message_of(T header, std::span<const std::byte> rest) {
    std::vector<std::byte> bytes(sizeof(T) + rest.size());
    std::ranges::copy(bytes_of(header), bytes.begin());
    std::ranges::copy(rest, bytes.begin() + sizeof(T));
    return bytes;
}

}  // namespace xdna
