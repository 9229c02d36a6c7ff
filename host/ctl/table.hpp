// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ctl {

// The daemon's status for people, a guest a line. Throws nlohmann::json::exception if it
// is not what a daemon says.
[[nodiscard]] std::string table(const nlohmann::json& status);

}  // namespace ctl
