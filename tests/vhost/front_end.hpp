// SPDX-License-Identifier: MIT
//
// The other side of vhost-user for tests: a front end on a socketpair, guest memory
// in a memfd, and the driver's half of a split ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "base/unique_fd.hpp"
#include "vhost/message.hpp"
#include "vhost/protocol.hpp"
#include "vhost/ring_view.hpp"

namespace vhost_test {

// The number of descriptors that this process has open.
std::size_t open_fds();

base::UniqueFd make_eventfd();
// Reads an eventfd: how often it was signalled since the last time.
std::uint64_t drain(const base::UniqueFd& eventfd);
void kick(const base::UniqueFd& eventfd);

// A front end's range of guest memory in a file of its own.
class GuestRam {
 public:
    GuestRam(std::uint64_t guest, std::uint64_t user, std::size_t size);
    GuestRam(const GuestRam&) = delete;
    GuestRam& operator=(const GuestRam&) = delete;
    ~GuestRam();

    [[nodiscard]] vhost::RegionDesc region() const { return {guest_, bytes_.size(), user_, 0}; }
    [[nodiscard]] int fd() const { return file_.value(); }
    [[nodiscard]] const base::UniqueFd& file() const { return file_; }
    [[nodiscard]] std::uint64_t guest() const { return guest_; }
    [[nodiscard]] std::uint64_t user() const { return user_; }
    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
    std::uint64_t guest_;
    std::uint64_t user_;
    base::UniqueFd file_;
    std::span<std::byte> bytes_;
};

struct UsedElement {
    std::uint32_t head;
    std::uint32_t length;
    friend bool operator==(const UsedElement&, const UsedElement&) = default;
};

// The driver's half of a ring at the start of `ram`.
class DriverRing {
 public:
    DriverRing(GuestRam& ram, std::uint16_t size);

    // What a guest does when it (re)initialises the device.
    void clear();

    [[nodiscard]] vhost::VringAddr addresses() const;
    // The first byte of `ram` that the ring does not use.
    [[nodiscard]] std::size_t end() const;

    void set(std::uint16_t index, const vhost::Descriptor& descriptor);
    // Descriptors from `first` on, linked in the order given; returns `first`.
    std::uint16_t link(std::uint16_t first, std::initializer_list<vhost::Descriptor> chain);
    void publish(std::uint16_t head);
    void set_available_index(std::uint16_t index);
    void set_available_flags(std::uint16_t flags);

    [[nodiscard]] std::uint16_t available_index() const;
    [[nodiscard]] std::uint16_t used_flags() const;
    [[nodiscard]] std::uint16_t used_index() const;
    void set_used_index(std::uint16_t index);
    // The element that was published as the n-th, modulo 65536.
    [[nodiscard]] UsedElement used(std::uint16_t n) const;

    [[nodiscard]] std::uint16_t size() const { return size_; }

 private:
    template <class T>
    [[nodiscard]] T& at(std::size_t offset) const {
        return *reinterpret_cast<T*>(ram_.bytes().data() + offset);
    }
    [[nodiscard]] std::size_t available() const;
    [[nodiscard]] std::size_t used() const;

    GuestRam& ram_;
    std::uint16_t size_;
};

struct Reply {
    vhost::Header header;
    vhost::Bytes payload;
};

// Payloads; that of a configuration access has as many bytes behind it.
vhost::Bytes u64(std::uint64_t value);
vhost::Bytes state(std::uint32_t index, std::uint32_t num);
vhost::Bytes config_access(std::uint32_t offset, std::uint32_t size);

// Its end of the control socket.
class FrontEnd {
 public:
    FrontEnd();

    // The back end's end, once.
    [[nodiscard]] base::UniqueFd take_peer() { return std::move(peer_); }

    void send(vhost::Request request, const vhost::Bytes& payload = {},
              std::initializer_list<int> fds = {}, bool need_reply = false);
    // Any bytes at all, with any descriptors.
    void send_raw(std::span<const std::byte> bytes, std::span<const int> fds = {});
    // A reply that is there already.
    [[nodiscard]] std::optional<Reply> receive();
    void close() { socket_.reset(); }

 private:
    base::UniqueFd socket_;
    base::UniqueFd peer_;
};

}  // namespace vhost_test
