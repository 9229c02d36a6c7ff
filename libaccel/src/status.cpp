// SPDX-License-Identifier: MIT
#include "accel/status.hpp"

#include "uapi.hpp"

namespace accel {

static_assert(static_cast<std::uint32_t>(Status::StaleObject) ==
              DRM_VIRTIO_ACCEL_STATUS_STALE_OBJECT);
static_assert(static_cast<std::uint32_t>(Status::InternalError) ==
              DRM_VIRTIO_ACCEL_STATUS_INTERNAL_ERROR);

std::string_view name(Status status) noexcept {
    switch (status) {
        case Status::Ok:
            return "ok";
        case Status::Unsupported:
            return "unsupported";
        case Status::Incompatible:
            return "incompatible";
        case Status::InvalidArgument:
            return "invalid argument";
        case Status::OutOfBounds:
            return "out of bounds";
        case Status::Busy:
            return "busy";
        case Status::OutOfMemory:
            return "out of memory";
        case Status::ResourceLimit:
            return "resource limit";
        case Status::DeadlineExpired:
            return "deadline expired";
        case Status::DeviceLost:
            return "device lost";
        case Status::PermissionDenied:
            return "permission denied";
        case Status::StaleObject:
            return "stale object";
        case Status::InternalError:
            return "internal error";
    }
    return "unknown status";
}

}  // namespace accel
