// SPDX-License-Identifier: MIT
#include "daemon/machine.hpp"

#include <algorithm>
#include <array>

#include <sys/socket.h>
#include <sys/un.h>

#include <doctest/doctest.h>
#include <poll.h>

#include "vhost/send_fds.hpp"

namespace daemon_test {

using vhost::Request;

namespace {

constexpr std::size_t kRequest = 0x1000;
constexpr std::size_t kResponse = 0x2000;
constexpr std::uint32_t kResponseBytes = 256;

}  // namespace

Machine::Machine(const std::string& socket_path)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    REQUIRE(socket_path.size() < sizeof(address.sun_path));
    socket_path.copy(address.sun_path, socket_path.size());
    REQUIRE(::connect(socket_.value(), reinterpret_cast<const sockaddr*>(&address),
                      sizeof(address)) == 0);
    send(Request::SetOwner);
    send(Request::SetFeatures, vhost::to_bytes(vhost::kVersion1 | vhost::kProtocolFeaturesBit));
    vhost::Bytes table = vhost::to_bytes(vhost::MemTableHeader{1, 0});
    std::ranges::copy(vhost::to_bytes(ram_.region()), std::back_inserter(table));
    send(Request::SetMemTable, table, 0, ram_.fd());
    ring_.clear();
    start();
}

void Machine::start() {
    send(Request::SetVringNum, vhost::to_bytes(vhost::VringState{0, ring_.size()}));
    send(Request::SetVringBase, vhost::to_bytes(vhost::VringState{0, 0}));
    send(Request::SetVringAddr, vhost::to_bytes(ring_.addresses()));
    send(Request::SetVringCall, vhost::to_bytes(std::uint64_t{0}), 0, call_.value());
    send(Request::SetVringKick, vhost::to_bytes(std::uint64_t{0}), 0, kick_.value());
    send(Request::SetVringEnable, vhost::to_bytes(vhost::VringState{0, 1}));
}

void Machine::reset() {
    send(Request::GetVringBase, vhost::to_bytes(vhost::VringState{0, 0}));
    std::array<std::byte, sizeof(vhost::Header) + sizeof(vhost::VringState)> reply{};
    REQUIRE(::recv(socket_.value(), reply.data(), reply.size(), MSG_WAITALL) == reply.size());
    ring_.clear();
    start();
}

void Machine::send(Request request, const vhost::Bytes& payload, std::uint32_t flags, int fd) {
    vhost::Bytes bytes =
        vhost::to_bytes(vhost::Header{static_cast<std::uint32_t>(request), vhost::kVersion | flags,
                                      static_cast<std::uint32_t>(payload.size())});
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    const std::span fds(&fd, fd < 0 ? 0 : 1);
    REQUIRE(vhost_test::send_fds(socket_.value(), bytes, fds, MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
}

driver::Answer Machine::command(std::span<const std::byte> request) {
    const auto response = ram_.bytes().subspan(kResponse, kResponseBytes);
    std::ranges::copy(request, ram_.bytes().subspan(kRequest).begin());
    std::ranges::fill(response, driver::kSentinel);
    const auto used =
        chain({{ram_.guest() + kRequest, static_cast<std::uint32_t>(request.size()), 0, 0},
               {ram_.guest() + kResponse, kResponseBytes, vhost::kDescriptorWrite, 0}});
    return {used, {response.begin(), response.end()}};
}

std::uint32_t Machine::chain(std::initializer_list<vhost::Descriptor> descriptors) {
    const std::uint16_t index = ring_.used_index();
    ring_.publish(ring_.link(0, descriptors));
    vhost_test::kick(kick_);
    while (ring_.used_index() == index) {
        pollfd ready{call_.value(), POLLIN, 0};
        REQUIRE(::poll(&ready, 1, -1) == 1);
        vhost_test::drain(call_);
    }
    return ring_.used(index).length;
}

}  // namespace daemon_test
