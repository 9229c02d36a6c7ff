// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "vm/options.hpp"
#include "vm/process.hpp"

namespace vm {

// The host's side of a device: a connection to a vhost-user daemon, and the daemon itself if
// this run started it.
struct Backend {
    std::optional<Child> daemon;
    UniqueFd connection;
};

// Connects to `options.sockets`, or starts a daemon for each device on a socket in `directory`
// and waits until it listens. `interrupt` becoming readable ends the wait. QEMU gets the
// connection, not the path: so nobody has to guess when the socket is ready, and no connection is
// thrown away.
Result<std::vector<Backend>> open_backends(const Options& options,
                                           const std::filesystem::path& directory, int interrupt);

// A file that was built beside this program (`built`) or installed beside it (`installed`),
// both relative to its directory; empty if there is none.
std::filesystem::path find_beside(const std::filesystem::path& built,
                                  const std::filesystem::path& installed);

}  // namespace vm
