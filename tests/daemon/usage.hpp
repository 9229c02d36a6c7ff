// SPDX-License-Identifier: MIT
//
// What a process and all its descendants hold.
#pragma once

#include <cstddef>
#include <vector>

#include <sys/types.h>

namespace daemon_test {

// Those that it has started itself, the oldest first.
[[nodiscard]] std::vector<pid_t> children(pid_t pid);

struct Usage {
    std::size_t processes = 0;
    std::size_t fds = 0;
    std::size_t resident_kib = 0;
    std::size_t guest_mappings = 0;  // of files made by memfd_create("guest")
};
[[nodiscard]] Usage usage(pid_t root);

// When they have come to rest.
[[nodiscard]] Usage settled_usage(pid_t root);

// Whether they hold as few processes, descriptors and mappings as before once they have
// come to rest.
[[nodiscard]] bool returns_to(const Usage& before, pid_t root);

}  // namespace daemon_test
