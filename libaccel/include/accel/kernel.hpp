// SPDX-License-Identifier: MIT
#pragma once

#include "accel/export.hpp"

namespace accel {

// The one door to the operating system: open(2), ioctl(2) and close(2), with their
// arguments, results and errno. An implementation has no policy, retries nothing
// and may be called by several threads at once.
class ACCEL_API Kernel {
 public:
    virtual ~Kernel();

    virtual int open(const char* path, int flags) noexcept = 0;
    virtual int ioctl(int fd, unsigned long request, void* argument) noexcept = 0;
    virtual int close(int fd) noexcept = 0;
};

// The real one. It has no state.
[[nodiscard]] ACCEL_API Kernel& system_kernel() noexcept;

}  // namespace accel
