// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "driver/answer.hpp"
#include "vhost/front_end.hpp"
#include "vhost/protocol.hpp"

namespace daemon_test {

// A machine with a device of the real program: a front end, and a guest that drives the
// ring.
class Machine {
 public:
    explicit Machine(const std::string& socket_path);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    // Publishes a request and waits until it is answered.
    driver::Answer command(std::span<const std::byte> request);
    // The same with a chain that the guest may have got wrong; the used length.
    std::uint32_t chain(std::initializer_list<vhost::Descriptor> descriptors);

    // A guest that resets its device, and starts it again.
    void reset();
    // The front end hangs up.
    void leave() { socket_.reset(); }

    void send(vhost::Request request, const vhost::Bytes& payload = {}, std::uint32_t flags = 0,
              int fd = -1);

 private:
    void start();

    base::UniqueFd socket_;
    vhost_test::GuestRam ram_{0x100000, 0x7f0000000000, 1U << 20};
    vhost_test::DriverRing ring_{ram_, 16};
    base::UniqueFd kick_ = vhost_test::make_eventfd();
    base::UniqueFd call_ = vhost_test::make_eventfd();
};

}  // namespace daemon_test
