// SPDX-License-Identifier: MIT
//
// The system calls that the filters let through whatever their arguments are. Those that
// depend on their arguments are in filter.cpp.
#pragma once

#include <span>

namespace sandbox {

// Of a worker that serves, and so of every process.
[[nodiscard]] std::span<const int> serving_calls();
// What a session and the beginning of a worker take besides.
[[nodiscard]] std::span<const int> starting_calls();
// What changes the file system by a path: drivers try it for their caches, and bear a no.
[[nodiscard]] std::span<const int> changing_calls();

}  // namespace sandbox
