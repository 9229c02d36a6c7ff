// SPDX-License-Identifier: MIT
#pragma once

#include <format>
#include <string>

#include <sys/wait.h>

namespace acceld {

// How a process ended, by what waitpid() says.
[[nodiscard]] inline std::string describe_end(int status) {
    return WIFSIGNALED(status) ? std::format("died of signal {}", WTERMSIG(status))
                               : std::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace acceld
