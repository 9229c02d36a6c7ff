// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "linux/virtio_accel.h"
#include "wire/frame.hpp"
#include "wire/status.hpp"

namespace wire {

static_assert(sizeof(virtio_accel_device_info) == 76);
static_assert(sizeof(virtio_accel_event_state) == 8);

// Writes the header of a response whose payload is already in place behind it:
// payload first, header last, so that a partial payload is never framed as success
// (protocol.md 3.6). Returns the used length.
[[nodiscard]] std::uint32_t write_header(Writer& frame, Status status, std::uint64_t request_id,
                                         std::uint32_t payload_bytes);

}  // namespace wire
