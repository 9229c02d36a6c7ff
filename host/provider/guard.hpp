// SPDX-License-Identifier: MIT
//
// The edge of a provider, which no exception crosses.
#pragma once

#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "provider/error.hpp"

namespace provider {

// Runs `body`, which returns a Result.
template <class Body>
[[nodiscard]] auto guarded(Body body) -> decltype(body()) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return std::unexpected(Error(ErrorKind::OutOfMemory));
    } catch (const std::system_error&) {  // no more threads
        return std::unexpected(Error(ErrorKind::ResourceLimit));
    }
}

template <class T, class... Args>
[[nodiscard]] Result<std::unique_ptr<T>> make(Args&&... args) {
    return guarded([&]() -> Result<std::unique_ptr<T>> {
        return std::make_unique<T>(std::forward<Args>(args)...);
    });
}

}  // namespace provider
