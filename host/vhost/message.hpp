// SPDX-License-Identifier: MIT
//
// One vhost-user message on the control socket. What leaves here has the size and
// the number of descriptors that its request allows; what the fields say is still
// to be judged.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/unique_fd.hpp"
#include "vhost/protocol.hpp"

namespace vhost {

using base::UniqueFd;

inline constexpr std::size_t kMaxFds = 8;
inline constexpr std::size_t kMaxPayload = sizeof(ConfigHeader) + kMaxConfigBytes;

using Bytes = std::vector<std::byte>;

template <class T>
    requires std::is_trivially_copyable_v<T>
Bytes to_bytes(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
}

// What a request may carry.
struct Rule {
    struct Range {
        std::size_t min;
        std::size_t max;
        [[nodiscard]] constexpr bool contains(std::size_t n) const { return n >= min && n <= max; }
    };

    Request request;
    std::string_view name;
    Range payload;  // bytes
    Range fds;
    std::uint64_t needs = 0;  // protocol feature that makes the request legal
    bool replies = false;     // has a reply of its own, so never a bare acknowledgement
};

// Null for a request that this device does not know.
[[nodiscard]] const Rule* rule_for(std::uint32_t request);

struct Message {
    std::uint32_t request = 0;
    bool need_reply = false;
    Bytes payload;
    std::vector<UniqueFd> fds;

    // The payload's first bytes as a T. The rule of the request has proven that they
    // are there.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    [[nodiscard]] T as(std::size_t offset = 0) const {
        T value{};
        std::memcpy(&value, payload.data() + offset, sizeof(value));
        return value;
    }
};

enum class Received : std::uint8_t {
    Partial,   // the rest has not arrived
    Complete,  // take() has the message
    Closed,    // the peer closed the socket between two messages
};

// Puts messages together from a socket, in as many pieces as they come, without
// ever waiting or reading past the end of a message.
class MessageReader {
 public:
    // An error is a peer that breaks the protocol: the connection has to end.
    [[nodiscard]] std::expected<Received, std::string> receive(int socket);
    [[nodiscard]] Message take();

 private:
    // Nothing when no byte is there yet, 0 at the end of the stream.
    [[nodiscard]] std::expected<std::optional<std::size_t>, std::string> receive_some(int socket);
    [[nodiscard]] std::expected<void, std::string> check_header();
    [[nodiscard]] std::expected<void, std::string> check_fds() const;

    std::array<std::byte, sizeof(Header) + kMaxPayload> buffer_{};
    std::size_t filled_ = 0;
    std::size_t expected_ = sizeof(Header);
    Header header_{};
    std::vector<UniqueFd> fds_;
};

// A peer that lets its socket fill up with replies is broken: no waiting here.
[[nodiscard]] std::expected<void, std::string> send_reply(int socket, std::uint32_t request,
                                                          std::span<const std::byte> payload);

}  // namespace vhost
