// SPDX-License-Identifier: MIT
#include "daemon/fd_passing.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "vhost/failure.hpp"

namespace acceld {

using base::UniqueFd;

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

std::expected<void, std::string> send_fd(int socket, const UniqueFd& fd) {
    char byte = 0;
    iovec piece{&byte, 1};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    Rights rights;
    const int number = fd.value();
    rights.attach(header, std::span(&number, 1));
    if (::sendmsg(socket, &header, MSG_NOSIGNAL) != 1) return vhost::failure("sendmsg", errno);
    return {};
}

UniqueFd receive_fd(int socket) {
    char byte = 0;
    iovec piece{&byte, 1};
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    if (::recvmsg(socket, &header, MSG_CMSG_CLOEXEC) != 1) return {};
    const cmsghdr* rights = CMSG_FIRSTHDR(&header);
    if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return {};
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof(fd));
    return UniqueFd(fd);
}

}  // namespace acceld
