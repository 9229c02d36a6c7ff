// SPDX-License-Identifier: MIT
//
// What the main() of every command has in common.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

namespace base {

// A line on stderr. Unlike println(), it does not throw where nobody can be told.
inline void say(const std::string& line) {
    std::fputs((line + "\n").c_str(), stderr);
}

// The exit status that `run` returns, or 1 if it throws, or if not all that it has printed could
// be written: a full disk is no success.
template <class Run>
int run_command(const std::string& name, Run run) {
    try {
        const int status = run();
        if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
        say(name + ": its output cannot be written");
    } catch (const std::exception& error) {
        say(name + ": " + error.what());
    }
    return 1;
}

}  // namespace base
