// SPDX-License-Identifier: MIT
//
// All processes of the daemon write to their standard error, each line in one write:
//
//     virtio-acceld: LEVEL: WHAT: CAUSE
//     virtio-acceld: LEVEL: guest=N pid=P WHAT: CAUSE
#pragma once

#include <expected>
#include <string>

#include "base/unique_fd.hpp"

namespace acceld {

void set_up_log();
// Why this process ends, where there may be no log yet. Does not throw where nobody can be told.
void complain(const std::string& why);
// From here on every line of this process names the guest, and the process.
void name_guest_in_log(unsigned guest);

[[nodiscard]] std::expected<base::UniqueFd, std::string> open_log(const std::string& path);
// Makes the file this process's standard error.
void log_to(const base::UniqueFd& file);

}  // namespace acceld
