// SPDX-License-Identifier: MIT
#include "driver/validator.hpp"

#include <algorithm>
#include <utility>

namespace driver {

using wire::le;

namespace {

constexpr std::uint32_t kHeaderBytes = sizeof(virtio_accel_response_header);

using Checked = std::expected<Response, Invalid>;

Checked invalid(Defect defect, std::uint64_t event = 0) {
    return std::unexpected(Invalid{defect, event});
}

bool known(std::uint16_t status) {
    return status <= VIRTIO_ACCEL_S_STALE_OBJECT || status == VIRTIO_ACCEL_S_INTERNAL_ERROR;
}

Checked object(std::uint16_t status, wire::Reader& written) {
    const std::uint64_t id = le(written.load<virtio_accel_object>(kHeaderBytes).object_id);
    if (id == 0) return invalid(Defect::ObjectId);
    return Response{.status = status, .object = id};
}

// An unknown status with an id is no answer of 1.0, and the event may be real all the
// same.
Checked failed(const Expected& expected, std::uint16_t status, std::uint64_t payload_bytes,
               wire::Reader& written) {
    if (payload_bytes == 0) return Response{.status = status};
    if (expected.opcode != VIRTIO_ACCEL_OP_SUBMIT || payload_bytes != sizeof(virtio_accel_object))
        return invalid(Defect::PayloadShape);
    auto event = object(status, written);
    if (event && !known(status)) return invalid(Defect::PayloadShape, event->object);
    return event;
}

struct OkShape {
    enum class Holds : std::uint8_t { Nothing, Object, Event, Info, Data } holds;
    std::uint64_t bytes;
};

OkShape ok_shape(const Expected& expected) {
    using enum OkShape::Holds;
    switch (expected.opcode) {
        case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
            return {Info, sizeof(virtio_accel_device_info)};
        case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
        case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
        case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
        case VIRTIO_ACCEL_OP_CREATE_QUEUE:
        case VIRTIO_ACCEL_OP_SUBMIT:
            return {Object, sizeof(virtio_accel_object)};
        case VIRTIO_ACCEL_OP_POLL_EVENT:
            return {Event, sizeof(virtio_accel_event_state)};
        case VIRTIO_ACCEL_OP_READ_BUFFER:
            return {Data, expected.read_bytes};
        default:
            return {Nothing, 0};
    }
}

Checked succeeded(const Expected& expected, std::uint64_t payload_bytes, wire::Reader& written) {
    const OkShape shape = ok_shape(expected);
    if (payload_bytes != shape.bytes) return invalid(Defect::PayloadShape);
    Response response;
    switch (shape.holds) {
        case OkShape::Holds::Nothing:
        case OkShape::Holds::Data:
            return response;
        case OkShape::Holds::Object:
            return object(VIRTIO_ACCEL_S_OK, written);
        case OkShape::Holds::Event:
            response.event = written.load<virtio_accel_event_state>(kHeaderBytes);
            return valid(response.event) ? Checked(response) : invalid(Defect::EventState);
        case OkShape::Holds::Info:
            response.info = written.load<virtio_accel_device_info>(kHeaderBytes);
            return valid(response.info) ? Checked(response) : invalid(Defect::DeviceInfo);
    }
    std::unreachable();
}

}  // namespace

std::string_view name(Defect defect) {
    switch (defect) {
        case Defect::UsedTooShort:
            return "used length below a header";
        case Defect::UsedTooLong:
            return "used length above the limit";
        case Defect::RequestId:
            return "request id of another command";
        case Defect::Flags:
            return "response flags";
        case Defect::PayloadBytes:
            return "used length is not header and payload";
        case Defect::PayloadShape:
            return "payload of another shape";
        case Defect::ObjectId:
            return "object id of zero";
        case Defect::EventState:
            return "event state";
        case Defect::DeviceInfo:
            return "device info";
    }
    std::unreachable();
}

Handle handle_after(std::uint16_t status) {
    if (!known(status)) return Handle::Unknown;
    if (status == VIRTIO_ACCEL_S_STALE_OBJECT) return Handle::Dead;
    if (status == VIRTIO_ACCEL_S_DEVICE_LOST) return Handle::Lost;
    return Handle::Live;
}

Expected::Expected(const Request& request) : opcode(request.opcode()), request_id(request.id()) {
    if (opcode != VIRTIO_ACCEL_OP_READ_BUFFER) return;
    virtio_accel_transfer transfer{};
    std::ranges::copy(request.head().last(sizeof transfer), wire::bytes_of(transfer).begin());
    read_bytes = le(transfer.bytes);
}

bool Response::lost() const {
    return status == VIRTIO_ACCEL_S_DEVICE_LOST || le(event.error) == VIRTIO_ACCEL_S_DEVICE_LOST;
}

std::expected<Response, Invalid> Validator::check(const Expected& expected, wire::Reader& written,
                                                  std::uint32_t used) const {
    if (used < kHeaderBytes) return invalid(Defect::UsedTooShort);
    if (used > max_response_bytes_ || used > written.size()) return invalid(Defect::UsedTooLong);
    const auto header = written.load<virtio_accel_response_header>(0);
    if (le(header.request_id) != expected.request_id) return invalid(Defect::RequestId);
    if (header.flags != 0) return invalid(Defect::Flags);
    const std::uint32_t payload_bytes = le(header.payload_bytes);
    if (kHeaderBytes + std::uint64_t{payload_bytes} != used) return invalid(Defect::PayloadBytes);

    const std::uint16_t status = le(header.status);
    return status == VIRTIO_ACCEL_S_OK ? succeeded(expected, payload_bytes, written)
                                       : failed(expected, status, payload_bytes, written);
}

bool valid(const virtio_accel_event_state& event) {
    const std::uint16_t state = le(event.state);
    return event.reserved == 0 && state <= VIRTIO_ACCEL_EVENT_CANCELLED &&
           (state == VIRTIO_ACCEL_EVENT_FAILED) == (event.error != 0);
}

bool valid(const virtio_accel_device_info& info) {
    const std::uint64_t capabilities = le(info.capabilities);
    const std::uint32_t bindings = le(info.max_bindings_per_submission);
    return info.reserved == 0 && (capabilities & VIRTIO_ACCEL_CAP_RESERVED_MASK) == 0 &&
           (capabilities & VIRTIO_ACCEL_CAP_MEMORY_MASK) != 0 && info.max_contexts != 0 &&
           info.max_buffers_per_context != 0 && info.max_programs_per_context != 0 &&
           info.max_queues_per_context != 0 && info.max_events_per_context != 0 && bindings != 0 &&
           bindings <= VIRTIO_ACCEL_MAX_BINDINGS && info.max_buffer_bytes != 0 &&
           info.max_artifact_bytes != 0;
}

std::uint64_t artifact_limit(const virtio_accel_device_info& info,
                             std::uint32_t max_request_bytes) {
    constexpr std::uint32_t kOverhead =
        sizeof(virtio_accel_request_header) + sizeof(virtio_accel_load_program);
    return std::min<std::uint64_t>(le(info.max_artifact_bytes), max_request_bytes - kOverhead);
}

}  // namespace driver
