// SPDX-License-Identifier: MIT
#pragma once

#include "daemon/board.hpp"
#include "vhost/handler.hpp"
#include "vhost/protocol.hpp"
#include "wire/config.hpp"

namespace acceld {

// What a front end is offered, by a session and by its worker alike.
[[nodiscard]] inline vhost::Profile device_profile(const wire::Config& config, Board& board) {
    const auto bytes = wire::encode(config);
    return {.features = vhost::kVersion1 | vhost::kAccessPlatform,
            .config = {bytes.begin(), bytes.end()},
            .max_chain_descriptors = config.max_chain_descriptors,
            .ring_state = &board.ring};
}

}  // namespace acceld
