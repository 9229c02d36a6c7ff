// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace golden {

// data/layout.inc as a table: path in the layout manifest, value.
[[nodiscard]] std::map<std::string, std::uint64_t> layout();

}  // namespace golden
