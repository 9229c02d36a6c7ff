// SPDX-License-Identifier: MIT
#include "accel/error.hpp"

#include <new>
#include <system_error>

namespace accel {

std::string Error::message() const noexcept {
    try {
        return std::string(operation) + ": " + std::generic_category().message(code);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

}  // namespace accel
