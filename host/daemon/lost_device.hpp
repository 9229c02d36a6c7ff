// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "daemon/statistics.hpp"
#include "vhost/handler.hpp"

namespace acceld {

// A device without an engine: every command is answered with DEVICE_LOST, until the guest
// resets it (protocol.md 3.8).
class LostDevice final : public vhost::Handler {
 public:
    // `before_stop` is called before the ring stops.
    LostDevice(std::uint32_t max_request_bytes, Statistics& statistics,
               std::function<void()> before_stop)
        : max_request_bytes_(max_request_bytes),
          statistics_(statistics),
          before_stop_(std::move(before_stop)) {}

    void serve(vhost::Ticket ticket, const wire::Chain& chain,
               vhost::Answers& answers) noexcept override;
    void drain(vhost::Answers&) noexcept override { before_stop_(); }
    void reset() noexcept override { reset_ = true; }

    // Whether the guest has reset the device since this was asked.
    [[nodiscard]] bool take_reset() { return std::exchange(reset_, false); }

 private:
    std::uint32_t max_request_bytes_;
    Statistics& statistics_;
    std::function<void()> before_stop_;
    bool reset_ = false;
};

}  // namespace acceld
