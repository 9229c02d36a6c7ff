// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

#include <spdlog/spdlog.h>

#include "vhost/connection.hpp"

namespace acceld {

inline void log_end(const std::expected<vhost::Progress, std::string>& end) {
    if (end) {
        spdlog::info("front end {}",
                     *end == vhost::Progress::Closed ? "disconnected" : "left behind by a signal");
    } else {
        spdlog::error("front end dropped: {}", end.error());
    }
}

}  // namespace acceld
