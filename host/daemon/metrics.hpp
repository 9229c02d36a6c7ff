// SPDX-License-Identifier: MIT
//
// The statistics of all guests as text for those who ask.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "daemon/statistics.hpp"

namespace acceld {

struct GuestView {
    unsigned number;
    pid_t pid;  // of its session
    std::string_view state;
    const Statistics* statistics;
};

struct DaemonView {
    std::string_view provider;
    unsigned max_guests = 0;
    std::uint64_t front_ends = 0;       // that were let in
    std::uint64_t sessions_failed = 0;  // that did not end well
    std::vector<GuestView> guests{};
};

// In Prometheus' text format, version 0.0.4.
[[nodiscard]] std::string metrics_text(const DaemonView& daemon);

// The same numbers as a JSON object, under names without prefix and suffix.
[[nodiscard]] std::string status_json(const DaemonView& daemon);

}  // namespace acceld
