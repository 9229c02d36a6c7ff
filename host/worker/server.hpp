// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

#include "daemon/options.hpp"

namespace acceld {

// Serves one front end after the other, each with a device of its own, until a signal
// comes (or, with `once`, the first has left). An error is a failure to begin: what
// goes wrong with one front end is logged and ends that front end's connection only.
[[nodiscard]] std::expected<void, std::string> serve(const Options& options);

}  // namespace acceld
