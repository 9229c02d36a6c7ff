// SPDX-License-Identifier: MIT
#include "hostile/answer.hpp"

#include <algorithm>
#include <cstring>

#include "wire/frame.hpp"
#include "wire/response.hpp"

namespace hostile {

namespace {

constexpr std::size_t kPayload = sizeof(virtio_accel_response_header);

// The low bytes of `value`, if they are in the frame. The host is little-endian
// (ring_view.cpp).
void put(std::span<std::byte> frame, std::size_t offset, std::size_t bytes, std::uint64_t value) {
    if (offset + bytes <= frame.size()) std::memcpy(&frame[offset], &value, bytes);
}

}  // namespace

std::uint64_t Answer::id() const {
    std::uint64_t id = 0;
    if (used == kPayload + sizeof(id)) std::memcpy(&id, &frame[kPayload], sizeof(id));
    return id;
}

void Answer::set_id(std::uint64_t id) {
    put(frame, kPayload, sizeof(id), id);
}

void Answer::write_to(const vhost::DescriptorChain& chain) const {
    wire::Writer(chain.pieces().writable).write(0, std::span(frame).first(written));
}

wire::RequestHeader header_of(const vhost::DescriptorChain& chain) {
    wire::Reader request(chain.pieces().readable);
    if (!request.contains(0, sizeof(virtio_accel_request_header))) return {};
    return wire::decode_header(request);
}

std::uint64_t operand_of(const vhost::DescriptorChain& chain) {
    wire::Reader request(chain.pieces().readable);
    constexpr std::size_t kOperand = sizeof(virtio_accel_request_header);
    if (!request.contains(kOperand, sizeof(virtio_accel_object))) return 0;
    return wire::le(request.load<virtio_accel_object>(kOperand).object_id);
}

Answer make_answer(const vhost::DescriptorChain& chain, wire::Status status,
                   std::uint32_t payload_bytes) {
    Answer answer{.frame = std::vector<std::byte>(chain.writable_bytes())};
    std::span<std::byte> piece = answer.frame;
    wire::Writer writer(std::span(&piece, 1));
    answer.used = wire::write_header(writer, status, header_of(chain).request_id, payload_bytes);
    answer.written = answer.used;
    return answer;
}

Answer make_event_answer(const vhost::DescriptorChain& chain, std::uint16_t state) {
    Answer answer = make_answer(chain, wire::Status::Ok, sizeof(virtio_accel_event_state));
    put(answer.frame, kPayload + offsetof(virtio_accel_event_state, state), sizeof(state), state);
    return answer;
}

void falsify(Answer& answer, const Lie& lie) {
    const auto value = static_cast<std::uint32_t>(lie.value);
    switch (lie.kind) {
        case Kind::Answer:
            return put(answer.frame, lie.offset, lie.bytes, lie.value);
        case Kind::Payload:
            put(answer.frame, offsetof(virtio_accel_response_header, payload_bytes), sizeof(value),
                value);
            answer.used = static_cast<std::uint32_t>(kPayload + value);
            return;
        case Kind::UsedLength:
            answer.used = value;
            return;
        case Kind::Unwritten:
            answer.written = kPayload;
            return;
        default:
            return;
    }
}

}  // namespace hostile
