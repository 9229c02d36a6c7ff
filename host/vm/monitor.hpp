// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace vm {

// What QEMU's human monitor, at the other end of `socket`, says of the state that the
// machine is in: for a guest that hangs, and could be stuck too early to say so itself.
// Takes a second, two at most.
[[nodiscard]] std::string machine_state(int socket);

}  // namespace vm
