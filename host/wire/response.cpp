// SPDX-License-Identifier: MIT
#include "wire/response.hpp"

namespace wire {

std::uint32_t write_header(Writer& frame, Status status, std::uint64_t request_id,
                           std::uint32_t payload_bytes) {
    const virtio_accel_response_header raw{
        .status = le(static_cast<std::uint16_t>(status)),
        .flags = 0,
        .payload_bytes = le(payload_bytes),
        .request_id = le(request_id),
    };
    frame.write(0, to_bytes(raw));
    return static_cast<std::uint32_t>(sizeof raw) + payload_bytes;
}

}  // namespace wire
