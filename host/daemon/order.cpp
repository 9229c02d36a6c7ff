// SPDX-License-Identifier: MIT
#include "daemon/order.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "daemon/fd_passing.hpp"
#include "vhost/failure.hpp"

namespace acceld {

using base::UniqueFd;

std::expected<void, std::string> send_order(int socket, Order::Kind kind, const UniqueFd& fd) {
    iovec piece{&kind, 1};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    Rights rights;
    const int number = fd.value();
    rights.attach(header, std::span(&number, 1));
    if (::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        return vhost::failure("sendmsg", errno);
    return {};
}

Order receive_order(int socket) {
    Order order;
    iovec piece{&order.kind, 1};
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
    order.fd = UniqueFd(fd);
    return order;
}

bool send_word(int socket, Word word) {
    return ::send(socket, &word, 1, MSG_NOSIGNAL) == 1;
}

}  // namespace acceld
