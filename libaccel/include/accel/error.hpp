// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

#include "accel/export.hpp"

namespace accel {

// A failed operation. `code` is a positive errno: the kernel's own, unchanged, or
//   EINVAL  an argument that the library itself refuses
//   EBADF   an object that was moved from or destroyed
//   ENOMEM  no memory for the call
// What the codes of the kernel mean is in docs/uapi.md.
struct Error {
    int code = 0;
    const char* operation = "";  // a static string: "buffer_write"

    // "buffer_write: Device or resource busy"
    [[nodiscard]] ACCEL_API std::string message() const noexcept;

    friend bool operator==(const Error& a, const Error& b) { return a.code == b.code; }
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace accel
