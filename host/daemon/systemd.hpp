// SPDX-License-Identifier: MIT
//
// What a service manager and a service say to each other: sd_listen_fds(3), sd_notify(3).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace acceld {

// A listening socket that was opened before this program was started.
struct PassedSocket {
    int fd = -1;
    std::string name;
};

// Those that are meant for this process, and not for one that started it.
[[nodiscard]] std::expected<std::vector<PassedSocket>, std::string> passed_sockets();

// Tells the manager, if there is one, what has become of this process.
void notify_manager(std::string_view state);

}  // namespace acceld
