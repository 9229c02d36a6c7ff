// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

namespace provider {

// Why a provider refused or failed. Every kind but External has a wire status of
// its own (protocol.md 5.3).
enum class ErrorKind : std::uint8_t {
    Unsupported,
    Incompatible,
    InvalidArgument,
    OutOfBounds,
    Busy,
    OutOfMemory,
    ResourceLimit,
    DeadlineExpired,
    DeviceLost,
    PermissionDenied,
    External,
};

inline constexpr std::array<std::string_view, 11> kErrorKindNames{
    "Unsupported", "Incompatible",     "InvalidArgument", "OutOfBounds",
    "Busy",        "OutOfMemory",      "ResourceLimit",   "DeadlineExpired",
    "DeviceLost",  "PermissionDenied", "External"};

[[nodiscard]] constexpr std::string_view name(ErrorKind kind) {
    return kErrorKindNames.at(static_cast<std::size_t>(kind));
}

// An External error carries the native code of the library or device behind the
// provider, for the host's log only: neither field crosses the wire.
struct Error {
    ErrorKind kind = ErrorKind::External;
    std::uint32_t domain = 0;  // four-character code, e.g. "VULK"
    std::int64_t code = 0;

    constexpr Error(ErrorKind k)
        : kind(k) {}  // NOLINT(google-explicit-constructor): an error is its kind
    constexpr Error(std::uint32_t native_domain, std::int64_t native_code)
        : domain(native_domain), code(native_code) {}

    friend constexpr bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

}  // namespace provider
