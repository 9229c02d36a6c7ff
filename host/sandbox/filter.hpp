// SPDX-License-Identifier: MIT
//
// What each process may ask of the kernel: lists of system calls, by seccomp.
#pragma once

#include <cstdint>

#include "sandbox/result.hpp"

namespace sandbox {

// What a provider goes on needing once it is open.
enum class Needs : std::uint8_t {
    Memory,  // and threads
    Driver,  // of a device, in user space: its nodes, and code that is made on the way
    Npu,     // a driver of /dev/accel alone, that makes no code
};

// Of a session, and of a worker until its device is made: what is not on the list fails
// with EPERM. A worker inherits it, so it has what a worker takes to begin.
[[nodiscard]] Result filter_session();

// Of all threads of a worker that is to serve: what is not on the list kills the process.
[[nodiscard]] Result filter_worker(Needs needs);

}  // namespace sandbox
