// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "linux/virtio_accel.h"

namespace wire {

enum class Status : std::uint16_t {
    Ok = VIRTIO_ACCEL_S_OK,
    Unsupported = VIRTIO_ACCEL_S_UNSUPPORTED,
    Incompatible = VIRTIO_ACCEL_S_INCOMPATIBLE,
    InvalidArgument = VIRTIO_ACCEL_S_INVALID_ARGUMENT,
    OutOfBounds = VIRTIO_ACCEL_S_OUT_OF_BOUNDS,
    Busy = VIRTIO_ACCEL_S_BUSY,
    OutOfMemory = VIRTIO_ACCEL_S_OUT_OF_MEMORY,
    ResourceLimit = VIRTIO_ACCEL_S_RESOURCE_LIMIT,
    DeadlineExpired = VIRTIO_ACCEL_S_DEADLINE_EXPIRED,
    DeviceLost = VIRTIO_ACCEL_S_DEVICE_LOST,
    PermissionDenied = VIRTIO_ACCEL_S_PERMISSION_DENIED,
    StaleObject = VIRTIO_ACCEL_S_STALE_OBJECT,
    InternalError = VIRTIO_ACCEL_S_INTERNAL_ERROR,
};

// The name of protocol.md 1.6, "?" for a value that has none.
[[nodiscard]] std::string_view name(Status status);

}  // namespace wire
