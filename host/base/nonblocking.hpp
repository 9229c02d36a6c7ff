// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>

#include "base/unique_fd.hpp"

namespace base {

// For a descriptor that somebody else has made.
inline void set_nonblocking(const UniqueFd& fd) {
    const int flags = ::fcntl(fd.value(), F_GETFL);
    if (flags >= 0) ::fcntl(fd.value(), F_SETFL, flags | O_NONBLOCK);
}

}  // namespace base
