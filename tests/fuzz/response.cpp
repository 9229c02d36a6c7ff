// SPDX-License-Identifier: MIT
//
// What a driver makes of a response: nothing beyond the used length is believed, and what
// is accepted is exactly what the device would have written for it.
#include <vector>

#include "driver/validator.hpp"
#include "fuzz/input.hpp"
#include "wire/request.hpp"

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kMaxResponseBytes = 256;

template <class T>
void append(Bytes& to, const T& value) {
    const auto bytes = wire::to_bytes(value);
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// The payload that says `response`; READ_BUFFER's data cannot be known from it.
Bytes payload_of(const driver::Expected& expected, const driver::Response& response) {
    Bytes payload;
    if (response.object != 0)
        append(payload, virtio_accel_object{.object_id = wire::le(response.object)});
    if (!response.ok()) return payload;
    if (expected.opcode == VIRTIO_ACCEL_OP_POLL_EVENT) append(payload, response.event);
    if (expected.opcode == VIRTIO_ACCEL_OP_GET_DEVICE_INFO) append(payload, response.info);
    return payload;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto opcode = input.take<std::uint16_t>();
    const auto used = input.take<std::uint16_t>();
    const auto read_bytes = input.take<std::uint8_t>();
    const auto first = input.take<std::uint8_t>();
    const driver::Expected expected(opcode, 7, read_bytes);

    const Bytes one(input.rest().begin(),
                    input.rest().begin() + static_cast<std::ptrdiff_t>(
                                               std::min<std::size_t>(first, input.rest().size())));
    const Bytes two(input.rest().begin() + static_cast<std::ptrdiff_t>(one.size()),
                    input.rest().end());
    const std::vector<std::span<const std::byte>> views{one, two};
    wire::Reader written(views);
    const auto response = driver::Validator(kMaxResponseBytes).check(expected, written, used);
    if (!response) return 0;

    fuzz::require(used >= wire::kHeaderBytes && used <= kMaxResponseBytes && used <= written.size(),
                  "an accepted length");
    const bool read = response->ok() && opcode == VIRTIO_ACCEL_OP_READ_BUFFER;
    const Bytes payload = payload_of(expected, *response);
    fuzz::require(used == wire::kHeaderBytes + (read ? read_bytes : payload.size()),
                  "an accepted length is the command's");
    Bytes frame;
    append(frame,
           virtio_accel_response_header{
               .status = wire::le(response->status),
               .flags = 0,
               .payload_bytes = wire::le(static_cast<std::uint32_t>(used - wire::kHeaderBytes)),
               .request_id = wire::le(std::uint64_t{7})});
    frame.insert(frame.end(), payload.begin(), payload.end());
    Bytes bytes(frame.size());
    written.read(0, bytes);
    fuzz::require(bytes == frame, "a response's round trip");
    fuzz::require(!response->indeterminate() || opcode == VIRTIO_ACCEL_OP_SUBMIT,
                  "only SUBMIT leaves it open");
    return 0;
}
