// SPDX-License-Identifier: MIT
#include "wire/status.hpp"

namespace wire {

std::string_view name(Status status) {
    switch (status) {
        case Status::Ok:
            return "OK";
        case Status::Unsupported:
            return "UNSUPPORTED";
        case Status::Incompatible:
            return "INCOMPATIBLE";
        case Status::InvalidArgument:
            return "INVALID_ARGUMENT";
        case Status::OutOfBounds:
            return "OUT_OF_BOUNDS";
        case Status::Busy:
            return "BUSY";
        case Status::OutOfMemory:
            return "OUT_OF_MEMORY";
        case Status::ResourceLimit:
            return "RESOURCE_LIMIT";
        case Status::DeadlineExpired:
            return "DEADLINE_EXPIRED";
        case Status::DeviceLost:
            return "DEVICE_LOST";
        case Status::PermissionDenied:
            return "PERMISSION_DENIED";
        case Status::StaleObject:
            return "STALE_OBJECT";
        case Status::InternalError:
            return "INTERNAL_ERROR";
    }
    return "?";
}

}  // namespace wire
