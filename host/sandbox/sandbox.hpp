// SPDX-License-Identifier: MIT
//
// What confines the processes of the daemon. Each step keeps what came before, and so does
// every process that is started later: the supervisor, a session, the start of a worker,
// the worker that serves.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sandbox/files.hpp"
#include "sandbox/filter.hpp"
#include "sandbox/privileges.hpp"
#include "sandbox/result.hpp"

namespace sandbox {

struct Policy {
    bool off = false;
    std::optional<User> user;
};

// Before it begins: a process that starts programs and has nothing of a guest. Besides
// what belongs to the system it has `own`, and it runs what is in either.
[[nodiscard]] Result confine_helper(const Policy& policy, View own);
// When its sockets are there.
[[nodiscard]] Result confine_supervisor(const Policy& policy);
// Before it has anything of a guest. The one program that it can run is `worker`.
[[nodiscard]] Result confine_session(const Policy& policy, const std::filesystem::path& worker);
// Before the provider is opened, while there is one thread.
[[nodiscard]] Result confine_opening(const Policy& policy, Needs needs);
// Before the first command is served.
[[nodiscard]] Result confine_serving(const Policy& policy, Needs needs);

// What the kernel and this build do for it, for the log.
[[nodiscard]] std::string description(const Policy& policy);

}  // namespace sandbox
