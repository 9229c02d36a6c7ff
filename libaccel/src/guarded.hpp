// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <new>

#include "accel/error.hpp"

namespace accel::detail {

// Runs what allocates memory, the only thing in the library that can throw.
template <class Call>
[[nodiscard]] auto guarded(const char* operation, Call call) noexcept -> decltype(call()) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return std::unexpected(Error{ENOMEM, operation});
    }
}

}  // namespace accel::detail
