// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <span>
#include <string>

#include <sys/socket.h>

#include "base/unique_fd.hpp"
#include "vhost/message.hpp"

namespace acceld {

// The control part of a message that carries descriptors. It stays where it is while the
// header is used.
class Rights {
 public:
    // At most vhost::kMaxFds.
    void attach(msghdr& header, std::span<const int> fds);

 private:
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(vhost::kMaxFds * sizeof(int))> control_{};
};

// A descriptor with one byte, over a socket that keeps messages apart.
[[nodiscard]] std::expected<void, std::string> send_fd(int socket, const base::UniqueFd& fd);
// Nothing at the end of the stream, or if no descriptor came.
[[nodiscard]] base::UniqueFd receive_fd(int socket);

}  // namespace acceld
