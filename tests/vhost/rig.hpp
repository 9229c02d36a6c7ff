// SPDX-License-Identifier: MIT
//
// A back end with an echoing device, and a front end and driver that have the same
// thread: nothing happens between two calls, so every test is exact.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vhost/connection.hpp"
#include "vhost/front_end.hpp"

namespace vhost_test {

inline constexpr std::uint64_t kAck = 0;

// Writes what it read, or as much as there is room for.
class Echo : public vhost::Handler {
 public:
    void serve(vhost::Ticket ticket, const wire::Chain& chain,
               vhost::Answers& answers) noexcept override;
    void drain(vhost::Answers& answers) noexcept override;
    void reset() noexcept override { ++resets; }

    std::vector<vhost::Bytes> requests;
    std::vector<std::size_t> readable_pieces;
    int resets = 0;
    std::uint32_t excess = 0;            // claimed beyond what was written
    std::function<void()> before_reply;  // what the guest does meanwhile
    bool hold = false;                   // answer only when drained, last chain first
    std::vector<std::pair<vhost::Ticket, std::uint32_t>> held;
};

class Notes : public vhost::Observer {
 public:
    void chain_unusable(vhost::ChainDefect defect) override { defects.push_back(defect); }
    void ring_stopped(vhost::RingFault fault) override { faults.push_back(fault); }
    void message_refused(std::string_view request, std::string_view why) override {
        refusals.push_back(std::string(request) + ": " + std::string(why));
    }

    std::vector<vhost::ChainDefect> defects;
    std::vector<vhost::RingFault> faults;
    std::vector<std::string> refusals;
};

struct Options {
    std::uint16_t ring_size = 8;
    std::uint16_t max_chain_descriptors = 256;
};

class Rig {
 public:
    explicit Rig(Options options = {});
    ~Rig();

    // Steps until nothing is left to do.
    std::expected<vhost::Progress, std::string> settle();

    // Sends, settles, and expects the connection to go on.
    void tell(vhost::Request request, const vhost::Bytes& payload = {},
              std::initializer_list<int> fds = {});
    // The same with an acknowledgement, which is 0 for success.
    [[nodiscard]] std::uint64_t ask(vhost::Request request, const vhost::Bytes& payload = {},
                                    std::initializer_list<int> fds = {});
    // The payload of the reply.
    [[nodiscard]] vhost::Bytes get(vhost::Request request, const vhost::Bytes& payload = {});

    // The steps of a VMM, in the order in which QEMU takes them.
    void negotiate();
    void share_memory();
    void start_ring(std::uint32_t base = 0);
    std::uint32_t stop_ring();  // returns the base to go on from
    void start();               // all of the above

    // Copies bytes to the data area of `ram` and describes them.
    vhost::Descriptor readable(std::string_view text);
    vhost::Descriptor writable(std::size_t bytes);
    [[nodiscard]] std::string text_at(const vhost::Descriptor& descriptor, std::size_t length);
    // Publishes a chain and kicks.
    void submit(std::uint16_t head);

    GuestRam ram{0x100000, 0x7f0000000000, 1 << 20};
    DriverRing ring;
    base::UniqueFd kick_fd = make_eventfd();
    base::UniqueFd call_fd = make_eventfd();
    base::UniqueFd err_fd = make_eventfd();
    Echo echo;
    Notes notes;
    FrontEnd front_end;
    std::unique_ptr<vhost::Connection> connection;

 private:
    std::size_t data_;  // the next free byte of `ram`
};

std::uint64_t as_u64(const vhost::Bytes& bytes);

}  // namespace vhost_test
