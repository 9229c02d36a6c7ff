// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "accel/export.hpp"

namespace accel {

// What a device says about work that it admitted. Other values are possible.
enum class Status : std::uint32_t {
    Ok = 0,
    Unsupported = 1,
    Incompatible = 2,
    InvalidArgument = 3,
    OutOfBounds = 4,
    Busy = 5,
    OutOfMemory = 6,
    ResourceLimit = 7,
    DeadlineExpired = 8,
    DeviceLost = 9,
    PermissionDenied = 10,
    StaleObject = 11,
    InternalError = 0xFFFF,
};

// "deadline expired"; "unknown status" for a value without a name.
[[nodiscard]] ACCEL_API std::string_view name(Status status) noexcept;

}  // namespace accel
