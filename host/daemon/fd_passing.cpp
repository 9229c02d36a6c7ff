// SPDX-License-Identifier: MIT
#include "daemon/fd_passing.hpp"

#include <cstring>

namespace acceld {

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
