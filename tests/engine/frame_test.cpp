// SPDX-License-Identifier: MIT
//
// What the engine answers before it looks at any object: protocol.md 3.2 to 3.5.
#include <doctest/doctest.h>

#include "engine/rig.hpp"

using namespace rig;
using wire::Status;

TEST_SUITE_BEGIN("engine/frame");

TEST_CASE("a chain without room for two headers is unusable and untouched") {
    Rig rig;
    const Bytes info = frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1);
    for (const std::size_t capacity : {0U, 1U, 15U}) {
        CAPTURE(capacity);
        const Answer answer = rig.send(info, capacity);
        CHECK(answer.used == 0);
        CHECK(answer.rest_untouched());
    }
    for (const std::size_t length : {0U, 1U, 15U}) {
        CAPTURE(length);
        const Answer answer = rig.send(Bytes(info.begin(), info.begin() + length));
        CHECK(answer.used == 0);
        CHECK(answer.rest_untouched());
    }
}

TEST_CASE("a well-formed command with too little response space has no effect and no status") {
    Rig rig;
    const Bytes create =
        frame(VIRTIO_ACCEL_OP_CREATE_CONTEXT, 1, virtio_accel_create_context{0, 0});
    const Answer answer = rig.send(create, 23);
    CHECK(answer.used == 0);
    CHECK(answer.rest_untouched());
    CHECK(rig.engine.live().contexts == 0);
    CHECK(rig.send(create, 24).used == 24);
    CHECK(rig.send(frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1), 91).used == 0);
    CHECK(rig.send(frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1), 92).used == 92);
}

TEST_CASE("a malformed command needs only sixteen bytes for its error") {
    Rig rig;
    const Answer answer =
        rig.send(frame(VIRTIO_ACCEL_OP_CREATE_CONTEXT, 9, virtio_accel_create_context{1, 0}), 16);
    CHECK(answer.used == 16);
    CHECK(answer.status() == Status::Unsupported);
    CHECK(answer.request_id() == 9);
}

TEST_CASE("header defects are found in the order length, id, flags, opcode") {
    Rig rig;
    const auto header = [](std::uint16_t opcode, std::uint16_t flags, std::uint32_t payload,
                           std::uint64_t id, std::size_t bytes) {
        Bytes out;
        append(out, wire::to_bytes(virtio_accel_request_header{opcode, flags, payload, id}));
        out.resize(bytes);
        return out;
    };
    CHECK(rig.send(header(0xDEAD, 1, 0, 0, 17)).status() == Status::InvalidArgument);
    CHECK(rig.send(header(0xDEAD, 1, 0, 0, 16)).status() == Status::InvalidArgument);
    CHECK(rig.send(header(0xDEAD, 1, 0, 5, 16)).status() == Status::Unsupported);
    CHECK(rig.send(header(0xDEAD, 0, 0, 5, 16)).status() == Status::Unsupported);
    CHECK(rig.send(header(0x0001, 1, 0, 5, 16)).status() == Status::Unsupported);
    const Answer zero = rig.send(header(0x0001, 0, 0, 0, 16));
    CHECK(zero.used == 16);
    CHECK(zero.request_id() == 0);
}

TEST_CASE("a frame over the limit is RESOURCE_LIMIT whatever else is wrong with it") {
    Rig rig(nullptr, {}, {.max_request_bytes = 97, .max_response_bytes = 92});
    Bytes request = frame(0xDEAD, 0);
    request.resize(98);
    CHECK(rig.send(request).status() == Status::ResourceLimit);
    request.resize(97);
    CHECK(rig.send(request).status() == Status::InvalidArgument);
}

TEST_CASE("a read larger than any response is RESOURCE_LIMIT even for a stale buffer") {
    Rig rig(nullptr, {}, {.max_response_bytes = 100});
    CHECK(rig.read(0x0001000200000001, 0, 85).status() == Status::ResourceLimit);
    CHECK(rig.read(0x0001000200000001, 0, 84).status() == Status::StaleObject);
}

TEST_CASE("every request is decoded alike at every split and answered in pieces") {
    for (std::size_t piece = 1; piece <= 40; ++piece) {
        CAPTURE(piece);
        Rig rig;
        const std::uint64_t context = rig.context();
        const std::uint64_t buffer = rig.buffer(context, 64);
        Bytes data(33, std::byte{7});
        const Bytes write =
            frame(VIRTIO_ACCEL_OP_WRITE_BUFFER, 7, virtio_accel_transfer{buffer, 3, 33}, data);
        CHECK(rig.send(write, 16, piece).status() == Status::Ok);
        const Answer read = rig.send(
            frame(VIRTIO_ACCEL_OP_READ_BUFFER, 8, virtio_accel_transfer{buffer, 3, 33}), 60, piece);
        REQUIRE(read.used == 49);
        CHECK(std::ranges::equal(read.payload(), data));
        CHECK(read.rest_untouched());
    }
}

TEST_CASE("flags are UNSUPPORTED, reserved fields INVALID_ARGUMENT, flags first") {
    Rig rig;
    const std::uint64_t context = rig.context();
    const auto create = [&](std::uint32_t flags, std::uint32_t reserved) {
        return rig
            .call(VIRTIO_ACCEL_OP_CREATE_CONTEXT, virtio_accel_create_context{flags, reserved})
            .status();
    };
    CHECK(create(1, 1) == Status::Unsupported);
    CHECK(create(0, 1) == Status::InvalidArgument);
    const auto queue = [&](std::uint64_t id, std::uint32_t flags, std::uint32_t reserved) {
        return rig
            .call(VIRTIO_ACCEL_OP_CREATE_QUEUE, virtio_accel_create_queue{id, flags, reserved})
            .status();
    };
    CHECK(queue(0, 1, 1) == Status::Unsupported);
    CHECK(queue(context, 0, 1) == Status::InvalidArgument);
    CHECK(queue(0, 0, 0) == Status::InvalidArgument);
}

TEST_CASE("ALLOCATE_BUFFER refuses each bad field with its own status") {
    Rig rig(std::make_unique<mock::Provider>(mock::Options{.max_buffer_bytes = 4096}));
    virtio_accel_allocate_buffer good{.context_id = rig.context(),
                                      .bytes = 64,
                                      .alignment = 16,
                                      .memory_domain = 1,
                                      .reserved0 = {},
                                      .usage = 1,
                                      .reserved1 = 0};
    const auto with = [&](auto change) {
        virtio_accel_allocate_buffer raw = good;
        change(raw);
        return rig.call(VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, raw).status();
    };
    CHECK(with([](auto&) {}) == Status::Ok);
    CHECK(with([](auto& r) { r.context_id = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.bytes = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.bytes = 4096; }) == Status::Ok);
    CHECK(with([](auto& r) { r.bytes = 4097; }) == Status::ResourceLimit);
    CHECK(with([](auto& r) { r.alignment = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.alignment = 48; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.memory_domain = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.memory_domain = 4; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.usage = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& r) { r.usage = 0x21; }) == Status::Unsupported);
    CHECK(with([](auto& r) { r.reserved1 = 1; }) == Status::InvalidArgument);
    for (std::size_t i = 0; i < 7; ++i) {
        CAPTURE(i);
        CHECK(with([i](auto& r) { r.reserved0[i] = 1; }) == Status::InvalidArgument);
    }
}

TEST_CASE("SUBMIT refuses a count before it looks at the array") {
    Rig rig;
    virtio_accel_submit raw{
        .queue_id = 1, .program_id = 1, .binding_count = 0xFFFFFFFF, .flags = 0, .timeout_ns = 0};
    CHECK(rig.call(VIRTIO_ACCEL_OP_SUBMIT, raw).status() == Status::ResourceLimit);
    raw.binding_count = 257;  // the mock takes 256
    CHECK(rig.call(VIRTIO_ACCEL_OP_SUBMIT, raw).status() == Status::ResourceLimit);
    raw.binding_count = 256;
    CHECK(rig.call(VIRTIO_ACCEL_OP_SUBMIT, raw).status() == Status::InvalidArgument);
    raw.binding_count = 0;
    CHECK(rig.call(VIRTIO_ACCEL_OP_SUBMIT, raw).status() == Status::InvalidArgument);
    raw.flags = 1;
    CHECK(rig.call(VIRTIO_ACCEL_OP_SUBMIT, raw).status() == Status::Unsupported);
}

TEST_CASE("SUBMIT refuses each bad binding") {
    Rig rig;
    const Busy objects(rig);
    const auto good = bind(objects.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
    const auto with = [&](auto change) {
        auto binding = good;
        change(binding);
        return rig.submit(objects.queue, objects.program, std::span(&binding, 1)).status();
    };
    CHECK(with([](auto&) {}) == Status::Ok);
    CHECK(with([](auto& b) { b.buffer_id = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& b) { b.bytes = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& b) { b.offset = ~0ULL; }) == Status::InvalidArgument);
    CHECK(with([](auto& b) { b.offset = 49; }) == Status::OutOfBounds);
    CHECK(with([](auto& b) { b.access = 0; }) == Status::InvalidArgument);
    CHECK(with([](auto& b) { b.access = 4; }) == Status::InvalidArgument);
    CHECK(with([](auto& b) { b.slot = 1; }) == Status::Incompatible);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(with([i](auto& b) { b.reserved[i] = 1; }) == Status::InvalidArgument);
    const std::array twice{good, good};
    CHECK(rig.submit(objects.queue, objects.program, twice).status() == Status::InvalidArgument);
}

TEST_SUITE_END();
