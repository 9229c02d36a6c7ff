// SPDX-License-Identifier: MIT
#pragma once

#include "provider/error.hpp"
#include "wire/status.hpp"

namespace engine {

// The wire status of a provider's error (protocol.md 5.3). Native codes stay on the
// host.
[[nodiscard]] constexpr wire::Status status_of(const provider::Error& error) {
    using provider::ErrorKind;
    switch (error.kind) {
        case ErrorKind::Unsupported:
            return wire::Status::Unsupported;
        case ErrorKind::Incompatible:
            return wire::Status::Incompatible;
        case ErrorKind::InvalidArgument:
            return wire::Status::InvalidArgument;
        case ErrorKind::OutOfBounds:
            return wire::Status::OutOfBounds;
        case ErrorKind::Busy:
            return wire::Status::Busy;
        case ErrorKind::OutOfMemory:
            return wire::Status::OutOfMemory;
        case ErrorKind::ResourceLimit:
            return wire::Status::ResourceLimit;
        case ErrorKind::DeadlineExpired:
            return wire::Status::DeadlineExpired;
        case ErrorKind::DeviceLost:
            return wire::Status::DeviceLost;
        case ErrorKind::PermissionDenied:
            return wire::Status::PermissionDenied;
        case ErrorKind::External:
            break;
    }
    return wire::Status::InternalError;
}

}  // namespace engine
