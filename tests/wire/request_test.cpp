// SPDX-License-Identifier: MIT
//
// Decoding on its own, and the header of a response: protocol.md 3.3 and 1.4.
#include "wire/request.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "wire/response.hpp"

using wire::Status;

TEST_SUITE_BEGIN("wire/request");

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

using Bytes = std::vector<std::byte>;

template <wire::Packed T>
Bytes bytes_of(const T& value, std::size_t tail = 0) {
    const auto raw = wire::to_bytes(value);
    Bytes bytes(raw.begin(), raw.end());
    bytes.resize(bytes.size() + tail);
    return bytes;
}

Status decode(std::uint16_t opcode, const Bytes& payload) {
    Bytes frame(wire::kHeaderBytes);
    frame.insert(frame.end(), payload.begin(), payload.end());
    const std::span<const std::byte> piece(frame);
    wire::Reader reader({&piece, 1});
    std::array<wire::Binding, 4> bindings;
    const auto command = wire::decode({.opcode = opcode,
                                       .flags = 0,
                                       .payload_bytes = static_cast<std::uint32_t>(payload.size()),
                                       .request_id = 1},
                                      reader,
                                      {.capabilities = VIRTIO_ACCEL_CAP_MEMORY_MASK,
                                       .max_buffer_bytes = kMost,
                                       .max_artifact_bytes = 100,
                                       .max_bindings = bindings.size()},
                                      bindings);
    return command ? Status::Ok : command.error();
}

virtio_accel_load_program program(std::uint64_t artifact_bytes) {
    virtio_accel_load_program raw{};
    raw.context_id = 1;
    raw.format = 1;
    raw.payload_bytes = artifact_bytes;
    raw.resident_bytes = 1;
    return raw;
}

// A sound payload for each of the fifteen commands.
std::vector<std::pair<std::uint16_t, Bytes>> commands() {
    std::vector<std::pair<std::uint16_t, Bytes>> all{
        {VIRTIO_ACCEL_OP_GET_DEVICE_INFO, {}},
        {VIRTIO_ACCEL_OP_CREATE_CONTEXT, bytes_of(virtio_accel_create_context{})},
        {VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
         bytes_of(virtio_accel_allocate_buffer{1, 1, 1, 1, {}, 1, 0})},
        {VIRTIO_ACCEL_OP_WRITE_BUFFER, bytes_of(virtio_accel_transfer{1, 0, 8}, 8)},
        {VIRTIO_ACCEL_OP_READ_BUFFER, bytes_of(virtio_accel_transfer{1, 0, 8})},
        {VIRTIO_ACCEL_OP_LOAD_PROGRAM, bytes_of(program(8), 8)},
        {VIRTIO_ACCEL_OP_CREATE_QUEUE, bytes_of(virtio_accel_create_queue{1, 0, 0})},
    };
    Bytes submit = bytes_of(virtio_accel_submit{1, 1, 1, 0, 0});
    const Bytes binding = bytes_of(virtio_accel_binding{1, 0, 1, 0, VIRTIO_ACCEL_ACCESS_READ, {}});
    submit.insert(submit.end(), binding.begin(), binding.end());
    all.emplace_back(VIRTIO_ACCEL_OP_SUBMIT, submit);
    for (const int opcode :
         {VIRTIO_ACCEL_OP_DESTROY_CONTEXT, VIRTIO_ACCEL_OP_FREE_BUFFER,
          VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, VIRTIO_ACCEL_OP_DESTROY_QUEUE, VIRTIO_ACCEL_OP_POLL_EVENT,
          VIRTIO_ACCEL_OP_CANCEL_EVENT, VIRTIO_ACCEL_OP_DESTROY_EVENT})
        all.emplace_back(static_cast<std::uint16_t>(opcode), bytes_of(virtio_accel_object{1}));
    return all;
}

}  // namespace

TEST_CASE("every opcode but the fifteen is UNSUPPORTED") {
    const auto known = commands();
    REQUIRE(known.size() == 15);
    for (std::uint32_t opcode = 0; opcode <= 0xFFFF; ++opcode) {
        const bool unsupported =
            decode(static_cast<std::uint16_t>(opcode), Bytes(8)) == Status::Unsupported;
        const bool listed =
            std::ranges::find(known, opcode, [](const auto& c) { return c.first; }) != known.end();
        if (unsupported == listed) FAIL_CHECK(opcode);
    }
}

TEST_CASE("every payload that is one byte off is INVALID_ARGUMENT") {
    for (const auto& [opcode, payload] : commands()) {
        CAPTURE(opcode);
        CHECK(decode(opcode, payload) == Status::Ok);
        Bytes changed = payload;
        changed.push_back({});
        CHECK(decode(opcode, changed) == Status::InvalidArgument);
        if (payload.empty()) continue;
        changed.resize(payload.size() - 1);
        CHECK(decode(opcode, changed) == Status::InvalidArgument);
        CHECK(decode(opcode, {}) == Status::InvalidArgument);
    }
}

TEST_CASE("LOAD_PROGRAM refuses each bad field with its own status") {
    const auto with = [](auto change, std::size_t tail = 8) {
        auto raw = program(8);
        change(raw);
        return decode(VIRTIO_ACCEL_OP_LOAD_PROGRAM, bytes_of(raw, tail));
    };
    CHECK(with([](auto&) {}) == Status::Ok);
    CHECK(with([](auto& r) { r.flags = 1; }) == Status::Unsupported);
    CHECK(with([](auto& r) { r.context_id = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.format = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.payload_bytes = 0; }, 0) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.resident_bytes = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.payload_bytes = 100; }, 100) == Status::Ok);
    CHECK(with([](auto& r) { r.payload_bytes = 101; }, 101) == Status::ResourceLimit);
}

TEST_CASE("sizes that do not fit 64 bits are refused") {
    const auto transfer = [](std::uint16_t opcode, std::uint64_t offset, std::uint64_t bytes) {
        return decode(opcode, bytes_of(virtio_accel_transfer{1, offset, bytes}));
    };
    CHECK(transfer(VIRTIO_ACCEL_OP_READ_BUFFER, 1, kMost) == Status::InvalidArgument);
    CHECK(transfer(VIRTIO_ACCEL_OP_READ_BUFFER, 0, kMost) == Status::ResourceLimit);
    CHECK(transfer(VIRTIO_ACCEL_OP_READ_BUFFER, 0, kMost - 15) == Status::ResourceLimit);
    CHECK(transfer(VIRTIO_ACCEL_OP_READ_BUFFER, 0, kMost - 16) == Status::Ok);
    CHECK(transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER, 1, kMost) == Status::InvalidArgument);
    CHECK(transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER, 0, kMost - 23) == Status::ResourceLimit);
    CHECK(transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER, 0, kMost - 24) == Status::InvalidArgument);
    CHECK(decode(VIRTIO_ACCEL_OP_LOAD_PROGRAM, bytes_of(program(kMost - 79))) ==
          Status::ResourceLimit);
    CHECK(decode(VIRTIO_ACCEL_OP_LOAD_PROGRAM, bytes_of(program(kMost - 80))) ==
          Status::InvalidArgument);
}

TEST_CASE("a response is a header of sixteen bytes, without flags") {
    std::array<std::byte, 17> written;
    written.fill(std::byte{0xA5});
    const std::span<std::byte> piece(written);
    wire::Writer writer({&piece, 1});
    CHECK(wire::write_header(writer, Status::StaleObject, 0x1122334455667788, 8) == 24);
    constexpr std::array<unsigned char, 17> expected{
        0x0B, 0, 0, 0, 8, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xA5};
    CHECK(std::ranges::equal(written, std::as_bytes(std::span(expected))));
}

TEST_SUITE_END();
