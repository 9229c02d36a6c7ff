// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

#include "base/unique_fd.hpp"

namespace acceld {

// Readable from the first SIGTERM or SIGINT on, which end nothing any more, and with
// `hangup` upon SIGHUP, too. Comes before anything that starts a thread, which must inherit
// the blocked signals.
[[nodiscard]] std::expected<base::UniqueFd, std::string> catch_signals(bool hangup = false);
// The number of a signal that came.
[[nodiscard]] int take_signal(const base::UniqueFd& signals);

}  // namespace acceld
