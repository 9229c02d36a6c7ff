// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

#include "daemon/options.hpp"

namespace acceld {

// Accepts front ends and gives each a session, in a process of its own, until a signal
// comes (or, with `once`, the first front end has left). A session stands by before the
// front end is let in: a provider that is gone is an end with a reason, not a guest with a
// dead device. Returns the exit status; an error has yet to be told.
[[nodiscard]] std::expected<int, std::string> supervise(const Options& options);

}  // namespace acceld
