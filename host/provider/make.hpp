// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <new>
#include <utility>

#include "provider/error.hpp"

namespace provider {

// make_unique for objects that a provider returns: allocation failure becomes a
// value, since no exception may leave a provider.
template <class T, class... Args>
[[nodiscard]] Result<std::unique_ptr<T>> make(Args&&... args) noexcept {
    try {
        return std::make_unique<T>(std::forward<Args>(args)...);
    } catch (const std::bad_alloc&) {
        return std::unexpected(ErrorKind::OutOfMemory);
    }
}

}  // namespace provider
