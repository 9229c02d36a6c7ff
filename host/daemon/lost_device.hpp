// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "vhost/handler.hpp"

namespace acceld {

// A device without an engine: every command is answered with DEVICE_LOST, until the guest
// resets it (protocol.md 3.8).
class LostDevice final : public vhost::Handler {
 public:
    explicit LostDevice(std::uint32_t max_request_bytes) : max_request_bytes_(max_request_bytes) {}

    void serve(vhost::Ticket ticket, const wire::Chain& chain,
               vhost::Answers& answers) noexcept override;
    void reset() noexcept override { reset_ = true; }

    // Whether the guest has reset the device since this was asked.
    [[nodiscard]] bool take_reset() { return std::exchange(reset_, false); }

 private:
    std::uint32_t max_request_bytes_;
    bool reset_ = false;
};

}  // namespace acceld
