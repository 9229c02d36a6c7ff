// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <ctime>

#include <sys/types.h>

#include "accel/export.hpp"

namespace accel {

// The one door to the operating system: open(2), ioctl(2), read(2), ppoll(2) and close(2),
// with their results and errno. An implementation has no policy, retries nothing and may
// be called by several threads at once.
class ACCEL_API Kernel {
 public:
    virtual ~Kernel();

    virtual int open(const char* path, int flags) noexcept = 0;
    virtual int ioctl(int fd, unsigned long request, void* argument) noexcept = 0;
    virtual ssize_t read(int fd, void* memory, std::size_t bytes) noexcept = 0;
    // Of one descriptor and POLLIN. Without a timeout it waits for ever.
    virtual int poll(int fd, const std::timespec* timeout) noexcept = 0;
    virtual int close(int fd) noexcept = 0;
};

// The real one. It has no state.
[[nodiscard]] ACCEL_API Kernel& system_kernel() noexcept;

}  // namespace accel
