// SPDX-License-Identifier: MIT
#include "daemon/fd_passing.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

namespace acceld {

void close_all_but(std::vector<int> kept) {
    std::ranges::sort(kept);
    int from = STDERR_FILENO + 1;
    for (const int fd : kept) {
        if (fd > from) ::close_range(static_cast<unsigned>(from), static_cast<unsigned>(fd - 1), 0);
        from = std::max(from, fd + 1);
    }
    ::close_range(static_cast<unsigned>(from), ~0U, 0);
}

void Rights::attach(msghdr& header, std::span<const int> fds) {
    if (fds.empty()) return;
    header.msg_control = control_.data();
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(rights), fds.data(), fds.size_bytes());
}

}  // namespace acceld
