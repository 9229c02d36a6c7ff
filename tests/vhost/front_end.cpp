// SPDX-License-Identifier: MIT
#include "vhost/front_end.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <doctest/doctest.h>

#include "vhost/send_fds.hpp"

namespace vhost_test {

using base::UniqueFd;
using vhost::Bytes;

std::size_t open_fds() {
    const std::filesystem::directory_iterator fds("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
}

UniqueFd make_eventfd() {
    return UniqueFd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

std::uint64_t drain(const UniqueFd& eventfd) {
    std::uint64_t count = 0;
    return ::read(eventfd.value(), &count, sizeof(count)) == sizeof(count) ? count : 0;
}

void kick(const UniqueFd& eventfd) {
    const std::uint64_t one = 1;
    REQUIRE(::write(eventfd.value(), &one, sizeof(one)) == sizeof(one));
}

GuestRam::GuestRam(std::uint64_t guest, std::uint64_t user, std::size_t size)
    : guest_(guest), user_(user), file_(::memfd_create("guest", MFD_CLOEXEC)) {
    REQUIRE(::ftruncate(file_.value(), static_cast<off_t>(size)) == 0);
    void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.value(), 0);
    REQUIRE(base != MAP_FAILED);
    bytes_ = {static_cast<std::byte*>(base), size};
}

GuestRam::~GuestRam() {
    ::munmap(bytes_.data(), bytes_.size());
}

DriverRing::DriverRing(GuestRam& ram, std::uint16_t size) : ram_(ram), size_(size) {
    REQUIRE(end() <= ram.bytes().size());
}

std::size_t DriverRing::available() const {
    return std::size_t{16} * size_;
}

std::size_t DriverRing::used() const {
    return (available() + 6 + std::size_t{2} * size_ + 3) / 4 * 4;
}

std::size_t DriverRing::end() const {
    return used() + 6 + std::size_t{8} * size_;
}

void DriverRing::clear() {
    std::ranges::fill(ram_.bytes().first(end()), std::byte{0});
}

vhost::VringAddr DriverRing::addresses() const {
    return {.index = 0,
            .flags = 0,
            .descriptors = ram_.user(),
            .used = ram_.user() + used(),
            .available = ram_.user() + available(),
            .log = 0};
}

void DriverRing::set(std::uint16_t index, const vhost::Descriptor& descriptor) {
    at<vhost::Descriptor>(std::size_t{16} * index) = descriptor;
}

std::uint16_t DriverRing::link(std::uint16_t first,
                               std::initializer_list<vhost::Descriptor> chain) {
    auto index = first;
    for (auto it = chain.begin(); it != chain.end(); ++it, ++index) {
        vhost::Descriptor descriptor = *it;
        if (std::next(it) != chain.end()) {
            descriptor.flags |= vhost::kDescriptorNext;
            descriptor.next = static_cast<std::uint16_t>(index + 1);
        }
        set(index, descriptor);
    }
    return first;
}

void DriverRing::publish(std::uint16_t head) {
    const std::uint16_t index = available_index();
    at<std::uint16_t>(available() + 4 + std::size_t{2} * (index % size_)) = head;
    set_available_index(static_cast<std::uint16_t>(index + 1));
}

void DriverRing::set_available_index(std::uint16_t index) {
    at<std::uint16_t>(available() + 2) = index;
}

void DriverRing::set_available_flags(std::uint16_t flags) {
    at<std::uint16_t>(available()) = flags;
}

std::uint16_t DriverRing::available_index() const {
    return at<std::uint16_t>(available() + 2);
}

std::uint16_t DriverRing::used_flags() const {
    return at<std::uint16_t>(used());
}

std::uint16_t DriverRing::used_index() const {
    return at<std::uint16_t>(used() + 2);
}

void DriverRing::set_used_index(std::uint16_t index) {
    at<std::uint16_t>(used() + 2) = index;
}

UsedElement DriverRing::used(std::uint16_t n) const {
    return at<UsedElement>(used() + 4 + std::size_t{8} * (n % size_));
}

FrontEnd::FrontEnd() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    socket_ = UniqueFd(ends[0]);
    peer_ = UniqueFd(ends[1]);
}

void FrontEnd::send(vhost::Request request, const Bytes& payload, std::initializer_list<int> fds,
                    bool need_reply) {
    Bytes bytes =
        vhost::to_bytes(vhost::Header{static_cast<std::uint32_t>(request),
                                      vhost::kVersion | (need_reply ? vhost::kNeedReplyFlag : 0),
                                      static_cast<std::uint32_t>(payload.size())});
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    send_raw(bytes, {fds.begin(), fds.size()});
}

void FrontEnd::send_raw(std::span<const std::byte> bytes, std::span<const int> fds) {
    REQUIRE(send_fds(socket_.value(), {bytes.begin(), bytes.end()}, fds, MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
}

std::optional<Reply> FrontEnd::receive() {
    Reply reply{};
    const ssize_t got = ::recv(socket_.value(), &reply.header, sizeof(reply.header), MSG_DONTWAIT);
    if (got != sizeof(reply.header)) return std::nullopt;
    reply.payload.resize(reply.header.size);
    if (reply.payload.empty()) return reply;
    REQUIRE(::recv(socket_.value(), reply.payload.data(), reply.payload.size(), MSG_DONTWAIT) ==
            static_cast<ssize_t>(reply.payload.size()));
    return reply;
}

vhost::Bytes u64(std::uint64_t value) {
    return vhost::to_bytes(value);
}

vhost::Bytes state(std::uint32_t index, std::uint32_t num) {
    return vhost::to_bytes(vhost::VringState{index, num});
}

vhost::Bytes config_access(std::uint32_t offset, std::uint32_t size) {
    vhost::Bytes bytes = vhost::to_bytes(vhost::ConfigHeader{offset, size, 0});
    bytes.resize(bytes.size() + size);
    return bytes;
}

}  // namespace vhost_test
