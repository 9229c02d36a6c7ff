// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace wire {

// The name of protocol.md 1.5, "?" for a value that has none.
[[nodiscard]] std::string_view opcode_name(std::uint16_t opcode);

}  // namespace wire
