// SPDX-License-Identifier: MIT
//
// A machine monitor and its guest against the real program: all that they share with it is
// what QEMU would, the control socket, a memfd and event descriptors.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/process.hpp"
#include "daemon/usage.hpp"
#include "driver/answer.hpp"
#include "driver/frames.hpp"
#include "driver/guest.hpp"
#include "driver/ring.hpp"
#include "driver/shared_memory.hpp"
#include "vhost/front_end.hpp"

namespace daemon_test {

// The program with the mock, listening.
class Daemon {
 public:
    explicit Daemon(const std::vector<std::string>& more = {});

    [[nodiscard]] Client connect();
    [[nodiscard]] Usage usage() const { return daemon_test::usage(acceld.pid()); }
    // Its processes close what they have handed on a moment after a front end is answered.
    [[nodiscard]] Usage settled_usage() const { return daemon_test::settled_usage(acceld.pid()); }
    // While it has a front end that has asked for nothing yet.
    [[nodiscard]] Usage usage_at_rest();
    [[nodiscard]] bool returns_to(const Usage& at_rest);
    // Whether it can still do all that it is for.
    [[nodiscard]] bool serves();

 private:
    [[nodiscard]] Client connect_at_rest();

    TemporaryDirectory directory_;

 public:
    Acceld acceld;
};

using vhost_test::config_access;
using vhost_test::state;
using vhost_test::u64;
vhost::Bytes region(const vhost::RegionDesc& region);  // of ADD_MEM_REG and REM_MEM_REG
vhost::Bytes table(std::initializer_list<vhost::RegionDesc> regions);

class Vm {
 public:
    explicit Vm(Client client, std::uint16_t ring_size = 32);

    // The steps of QEMU 11.1, in its order (drm-guide.md 5.2).
    void negotiate();
    void share_memory();
    void start_ring(std::uint32_t base = 0);
    void start();               // all of the above
    std::uint32_t stop_ring();  // returns the base to go on from
    void reset();               // what the guest does to its device

    // Publishes a frame in pieces of guest memory; nothing when the ring is full.
    [[nodiscard]] std::optional<std::uint16_t> publish(std::span<const std::byte> frame,
                                                       const driver::Shape& shape);
    // The same in memory of the caller's, whose readable bytes are there already.
    [[nodiscard]] std::optional<std::uint16_t> publish(std::span<const driver::Block> readable,
                                                       std::vector<driver::Block> writable);
    void kick() const { vhost_test::kick(kick_fd); }

    struct Completion {
        std::uint16_t head = 0;
        driver::Answer answer;
    };
    // What is there already.
    [[nodiscard]] std::optional<Completion> pop();
    // Waits to be interrupted for the next one; nothing when the program closes the
    // connection, or takes for ever.
    [[nodiscard]] std::optional<Completion> collect();
    // The same by looking again and again, for completions that interrupt nobody.
    [[nodiscard]] std::optional<Completion> look();

    // One command, to its answer.
    driver::Answer call(const driver::Request& request, std::size_t capacity = 4096);

    Client client;
    driver::SharedMemory memory{1 << 20};
    driver::Ring ring;
    base::UniqueFd kick_fd = vhost_test::make_eventfd();
    base::UniqueFd call_fd = vhost_test::make_eventfd();
    base::UniqueFd err_fd = vhost_test::make_eventfd();

    [[nodiscard]] vhost::Bytes ring_addresses() const;

 private:
    std::size_t data_;                                              // where the ring's memory ends
    std::map<std::uint16_t, std::vector<driver::Block>> writable_;  // by head
};

// One that has started its device.
struct RunningVm : Vm {
    explicit RunningVm(Client connected) : Vm(std::move(connected)) { start(); }
    explicit RunningVm(const std::string& path) : RunningVm(Client(path)) {}
};

}  // namespace daemon_test
