// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "daemon/listener.hpp"
#include "daemon/options.hpp"

namespace acceld {

// Where front ends come from: the sockets that they connect to, or one front end that is
// connected already.
struct Sockets {
    std::vector<Listener> listening;
    base::UniqueFd connected;
};

[[nodiscard]] std::expected<Sockets, std::string> open_sockets(const Options& options);

}  // namespace acceld
