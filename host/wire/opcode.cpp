// SPDX-License-Identifier: MIT
#include "wire/opcode.hpp"

#include "linux/virtio_accel.h"

namespace wire {

std::string_view opcode_name(std::uint16_t opcode) {
    switch (opcode) {
        case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
            return "GET_DEVICE_INFO";
        case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
            return "CREATE_CONTEXT";
        case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
            return "DESTROY_CONTEXT";
        case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
            return "ALLOCATE_BUFFER";
        case VIRTIO_ACCEL_OP_FREE_BUFFER:
            return "FREE_BUFFER";
        case VIRTIO_ACCEL_OP_WRITE_BUFFER:
            return "WRITE_BUFFER";
        case VIRTIO_ACCEL_OP_READ_BUFFER:
            return "READ_BUFFER";
        case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
            return "LOAD_PROGRAM";
        case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
            return "UNLOAD_PROGRAM";
        case VIRTIO_ACCEL_OP_CREATE_QUEUE:
            return "CREATE_QUEUE";
        case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
            return "DESTROY_QUEUE";
        case VIRTIO_ACCEL_OP_SUBMIT:
            return "SUBMIT";
        case VIRTIO_ACCEL_OP_POLL_EVENT:
            return "POLL_EVENT";
        case VIRTIO_ACCEL_OP_CANCEL_EVENT:
            return "CANCEL_EVENT";
        case VIRTIO_ACCEL_OP_DESTROY_EVENT:
            return "DESTROY_EVENT";
        default:
            return "?";
    }
}

}  // namespace wire
