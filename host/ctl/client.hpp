// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

namespace ctl {

// What the daemon that listens at `socket` answers to a GET of the path. An error is for
// the operator to read.
[[nodiscard]] std::expected<std::string, std::string> get(const std::string& socket,
                                                          const std::string& path);

}  // namespace ctl
