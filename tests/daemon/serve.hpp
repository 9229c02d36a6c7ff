// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "driver/answer.hpp"
#include "vhost/handler.hpp"

namespace daemon_test {

// The device's answer to one command, which is waited for.
inline driver::Answer serve(vhost::Handler& device, std::span<const std::byte> request) {
    struct Used final : vhost::Answers {
        std::uint32_t bytes = 0;
        void complete(vhost::Ticket, std::uint32_t used) override { bytes = used; }
    } used;
    driver::Answer answer{0, driver::Bytes(256, driver::kSentinel)};
    const std::span<std::byte> writable(answer.written);
    device.serve(0, {{&request, 1}, {&writable, 1}}, used);
    device.drain(used);
    answer.used = used.bytes;
    return answer;
}

}  // namespace daemon_test
