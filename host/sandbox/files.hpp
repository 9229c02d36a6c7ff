// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "sandbox/result.hpp"

namespace sandbox {

// All that a process can open by a path. Names that do not exist are left out.
struct View {
    using Paths = std::vector<std::filesystem::path>;

    Paths readable;  // with everything below, as the others
    Paths executable;
    Paths devices;     // read, written and controlled
    Paths writable{};  // read, and files and folders below made, renamed and removed
};

// The version of the kernel's Landlock; 0 if it has none or must not use it.
[[nodiscard]] int landlock_abi();

// Restricts the calling thread, and what it starts, to the view; and to no network, and no
// signals or abstract sockets of other processes, as far as the kernel's Landlock goes.
[[nodiscard]] Result restrict_to(const View& view);

// The programs that the kernel runs for `program`: itself and the dynamic loader, which it
// shares with the caller.
[[nodiscard]] View::Paths to_execute(const std::filesystem::path& program);

}  // namespace sandbox
