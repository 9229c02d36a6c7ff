// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <sys/socket.h>

#include "vhost/message.hpp"

namespace acceld {

// Closes all but the three standard ones and these: what a fork has from its parent.
void close_all_but(std::vector<int> kept);

// The control part of a message that carries descriptors. It stays where it is while the
// header is used.
class Rights {
 public:
    // At most vhost::kMaxFds.
    void attach(msghdr& header, std::span<const int> fds);

 private:
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(vhost::kMaxFds * sizeof(int))> control_{};
};

}  // namespace acceld
