// SPDX-License-Identifier: MIT
//
// What a driver makes of a used element: every byte of it came from a device that may
// be broken or hostile (protocol.md 2.5 and 2.6).
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "driver/frames.hpp"
#include "linux/virtio_accel.h"
#include "wire/frame.hpp"

namespace driver {

// Why a response is none of protocol 1.0. Whatever it is, the device needs a reset.
enum class Defect : std::uint8_t {
    UsedTooShort,
    UsedTooLong,  // above the device's limit or what was offered
    RequestId,
    Flags,
    PayloadBytes,
    PayloadShape,  // not the payload of this command and status
    ObjectId,
    EventState,
    DeviceInfo,
};
[[nodiscard]] std::string_view name(Defect defect);

// What has become of the object that a refused command named.
enum class Handle : std::uint8_t {
    Live,     // try again, if at all
    Dead,     // stale
    Unknown,  // the status has no meaning in 1.0
    Lost,     // the device is lost with all it holds
};
[[nodiscard]] Handle handle_after(std::uint16_t status);

// What an answer is checked against.
struct Expected {
    std::uint16_t opcode = 0;
    std::uint64_t request_id = 0;
    std::uint64_t read_bytes = 0;  // READ_BUFFER

    Expected() = default;
    Expected(std::uint16_t command, std::uint64_t id, std::uint64_t bytes = 0)
        : opcode(command), request_id(id), read_bytes(bytes) {}
    explicit Expected(const Request& request);
};

// A response that is what it claims to be, as a copy. READ_BUFFER's data stays where
// it is, behind the header.
struct Response {
    std::uint16_t status = VIRTIO_ACCEL_S_OK;
    std::uint64_t object = 0;          // of a create command or SUBMIT
    virtio_accel_event_state event{};  // POLL_EVENT
    virtio_accel_device_info info{};   // GET_DEVICE_INFO

    [[nodiscard]] bool ok() const { return status == VIRTIO_ACCEL_S_OK; }
    // A SUBMIT that failed and yet may have been accepted: its event is to be polled
    // and destroyed like any other.
    [[nodiscard]] bool indeterminate() const { return !ok() && object != 0; }
    // The device reports its own loss.
    [[nodiscard]] bool lost() const;
};

// An event that an invalid response names is kept until the reset: its work may run.
struct Invalid {
    Defect defect;
    std::uint64_t event = 0;
};

// `written` is the chain's whole writable side, `used` what the device says it wrote.
// Reads the header once and allocates nothing.
class Validator {
 public:
    explicit Validator(std::uint32_t max_response_bytes)
        : max_response_bytes_(max_response_bytes) {}

    [[nodiscard]] std::expected<Response, Invalid> check(const Expected& expected,
                                                         wire::Reader& written,
                                                         std::uint32_t used) const;

 private:
    std::uint32_t max_response_bytes_;
};

// The state is known, and FAILED has an error where nothing else has one.
[[nodiscard]] bool valid(const virtio_accel_event_state& event);

// The rules of protocol.md 2.5, but for an artifact limit beyond the frame's: that is no
// defect, and artifact_limit() is what a driver goes by.
[[nodiscard]] bool valid(const virtio_accel_device_info& info);
[[nodiscard]] std::uint64_t artifact_limit(const virtio_accel_device_info& info,
                                           std::uint32_t max_request_bytes);

}  // namespace driver
