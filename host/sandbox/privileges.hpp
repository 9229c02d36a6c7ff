// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "sandbox/result.hpp"

namespace sandbox {

struct User {
    uid_t uid;
    gid_t gid;
    std::vector<gid_t> groups;  // all of them: a render node belongs to one
};

[[nodiscard]] std::expected<User, std::string> find_user(const std::string& name);

// Leaves the process without a capability and without a way to get one, and as `user` if
// one is given. Again for the same user it changes nothing.
[[nodiscard]] Result give_up_privileges(const std::optional<User>& user);

// Neither a debugger of the same user nor a core file sees what a guest has in memory.
[[nodiscard]] Result keep_memory_private();

[[nodiscard]] Result limit_open_files();

}  // namespace sandbox
