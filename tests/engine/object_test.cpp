// SPDX-License-Identifier: MIT
//
// The object model: protocol.md 4.
#include <doctest/doctest.h>

#include "engine/rig.hpp"

using namespace rig;
using wire::Status;

TEST_SUITE_BEGIN("engine/object");

TEST_CASE("a whole life, and what blocks what") {
    Rig rig;
    const Busy objects(rig);
    REQUIRE(objects.event != 0);
    const auto status = [&](std::uint16_t opcode, std::uint64_t id) {
        return rig.on_object(opcode, id).status();
    };
    CHECK(status(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, objects.context) == Status::Busy);
    CHECK(status(VIRTIO_ACCEL_OP_FREE_BUFFER, objects.buffer) == Status::Busy);
    CHECK(status(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, objects.program) == Status::Busy);
    CHECK(status(VIRTIO_ACCEL_OP_DESTROY_QUEUE, objects.queue) == Status::Busy);
    CHECK(status(VIRTIO_ACCEL_OP_DESTROY_EVENT, objects.event) == Status::Busy);
    CHECK(rig.read(objects.buffer, 0, 1).status() == Status::Busy);

    CHECK(status(VIRTIO_ACCEL_OP_CANCEL_EVENT, objects.event) == Status::Ok);
    CHECK(status(VIRTIO_ACCEL_OP_CANCEL_EVENT, objects.event) == Status::Busy);
    const Answer polled = rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, objects.event);
    CHECK(polled.load<std::uint16_t>(16) == VIRTIO_ACCEL_EVENT_CANCELLED);
    // Terminal is not released.
    CHECK(status(VIRTIO_ACCEL_OP_FREE_BUFFER, objects.buffer) == Status::Busy);

    CHECK(status(VIRTIO_ACCEL_OP_DESTROY_EVENT, objects.event) == Status::Ok);
    CHECK(rig.read(objects.buffer, 0, 1).status() == Status::Ok);
    CHECK(status(VIRTIO_ACCEL_OP_DESTROY_QUEUE, objects.queue) == Status::Ok);
    CHECK(status(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, objects.program) == Status::Ok);
    CHECK(status(VIRTIO_ACCEL_OP_FREE_BUFFER, objects.buffer) == Status::Ok);
    CHECK(status(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, objects.context) == Status::Ok);
    CHECK(rig.engine.live() == engine::Counts{});
}

TEST_CASE("the program runs on the bound bytes, in place") {
    auto owned = std::make_unique<mock::Provider>();
    owned->complete_immediately();
    Rig rig(std::move(owned));
    const std::uint64_t context = rig.context();
    const std::uint64_t buffer = rig.buffer(context, 8);
    const std::uint64_t queue = rig.queue(context);
    const std::uint64_t program = rig.program(
        context, {.operation = mock::Operation::Xor, .first_slot = 7, .operand = std::byte{0x5A}});
    const std::array data{std::byte{0x00}, std::byte{0x11}, std::byte{0xFF}};
    REQUIRE(rig.write(buffer, 1, data).status() == Status::Ok);

    const auto binding = bind(buffer, 7, VIRTIO_ACCEL_ACCESS_READ_WRITE, 1, 3);
    const std::uint64_t event = rig.submit(queue, program, std::span(&binding, 1)).id();
    REQUIRE(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, event).status() == Status::Ok);

    const Answer read = rig.read(buffer, 0, 8);
    const std::array expected{std::byte{0}, std::byte{0x5A}, std::byte{0x4B}, std::byte{0xA5},
                              std::byte{0}, std::byte{0},    std::byte{0},    std::byte{0}};
    CHECK(std::ranges::equal(read.payload(), expected));
    CHECK(rig.engine.copy_counters().direct_bindings == 1);
    CHECK(rig.engine.copy_counters().staged_direct_bindings == 0);
}

TEST_CASE("ids are the reference's, slots are reused last in first out") {
    Rig rig;
    CHECK(rig.context() == 0x0001000100000001);
    CHECK(rig.buffer(0x0001000100000001, 1) == 0x0001000200000001);
    const std::uint64_t second = rig.buffer(0x0001000100000001, 1);
    CHECK(second == 0x0001000200000002);
    REQUIRE(rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, second).status() == Status::Ok);
    CHECK(rig.buffer(0x0001000100000001, 1) == 0x0001000A00000002);
    CHECK(rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, second).status() == Status::StaleObject);
}

TEST_CASE(
    "ids of another kind, namespace, generation or index are stale, impossible ones invalid") {
    Rig rig;
    const std::uint64_t context = rig.context();
    const std::uint64_t buffer = rig.buffer(context, 1);
    const auto free = [&](std::uint64_t id) {
        return rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, id).status();
    };
    CHECK(free(context) == Status::StaleObject);
    CHECK(free(buffer + 1) == Status::StaleObject);
    CHECK(free(buffer + (1ULL << 35)) == Status::StaleObject);
    CHECK(free(buffer + (1ULL << 48)) == Status::StaleObject);
    CHECK(free(buffer & 0xFFFFFFFF00000000) == Status::InvalidArgument);
    CHECK(free(0) == Status::InvalidArgument);
    CHECK(free(buffer) == Status::Ok);
}

TEST_CASE("objects of another context are stale in SUBMIT") {
    Rig rig;
    const Busy one(rig);
    const Busy two(rig);
    const auto own = bind(one.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
    const auto foreign = bind(two.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
    CHECK(rig.submit(one.queue, two.program, std::span(&own, 1)).status() == Status::StaleObject);
    CHECK(rig.submit(one.queue, one.program, std::span(&foreign, 1)).status() ==
          Status::StaleObject);
    CHECK(rig.submit(one.queue, one.program, std::span(&own, 1)).status() == Status::Ok);
}

TEST_CASE("the policy is checked before the context, and a free returns its charge") {
    Rig rig(nullptr, {.max_buffer_bytes = 100, .max_program_bytes = 100});
    const std::uint64_t context = rig.context();
    const std::uint64_t buffer = rig.buffer(context, 60);
    CHECK(rig.allocate(context, 41).status() == Status::ResourceLimit);
    CHECK(rig.allocate(context + 1, 41).status() == Status::ResourceLimit);
    CHECK(rig.allocate(context + 1, 40).status() == Status::StaleObject);
    CHECK(rig.engine.live().buffer_bytes == 60);
    REQUIRE(rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer).status() == Status::Ok);
    CHECK(rig.allocate(context, 100).status() == Status::Ok);
    REQUIRE(rig.load(context, {}).status() == Status::Ok);  // 64 of 100 resident bytes
    CHECK(rig.load(context, {}).status() == Status::ResourceLimit);
}

TEST_CASE("quotas") {
    Rig rig;
    const std::uint64_t context = rig.context();
    for (int i = 0; i < 16; ++i)
        REQUIRE(rig.queue(context) != 0);
    CHECK(
        rig.call(VIRTIO_ACCEL_OP_CREATE_QUEUE, virtio_accel_create_queue{context, 0, 0}).status() ==
        Status::ResourceLimit);
    for (int i = 1; i < 64; ++i)
        REQUIRE(rig.context() != 0);
    CHECK(rig.call(VIRTIO_ACCEL_OP_CREATE_CONTEXT, virtio_accel_create_context{}).status() ==
          Status::ResourceLimit);
}

TEST_CASE("transfers: bounds beat permissions") {
    Rig rig;
    const std::uint64_t context = rig.context();
    const std::uint64_t source = rig.buffer(context, 8, VIRTIO_ACCEL_USAGE_TRANSFER_SRC);
    const std::uint64_t target = rig.buffer(context, 8, VIRTIO_ACCEL_USAGE_TRANSFER_DST);
    const std::array<std::byte, 2> data{};
    CHECK(rig.write(source, 7, data).status() == Status::OutOfBounds);
    CHECK(rig.write(source, 6, data).status() == Status::PermissionDenied);
    CHECK(rig.read(target, 7, 2).status() == Status::OutOfBounds);
    CHECK(rig.read(target, 6, 2).status() == Status::PermissionDenied);
    CHECK(rig.read(source, 6, 2).status() == Status::Ok);
    CHECK(rig.write(target, 6, data).status() == Status::Ok);
}

TEST_CASE("an object slot is retired when its generations are used up") {
    Rig rig;
    const std::uint64_t context = rig.context();
    std::uint64_t id = 0;
    for (int generation = 0; generation <= 8191; ++generation) {
        id = rig.queue(context);
        REQUIRE(static_cast<std::uint32_t>(id) == 1);
        REQUIRE(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, id).status() == Status::Ok);
    }
    CHECK(static_cast<std::uint32_t>(rig.queue(context)) == 2);
    CHECK(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, id).status() == Status::StaleObject);
}

TEST_SUITE_END();
