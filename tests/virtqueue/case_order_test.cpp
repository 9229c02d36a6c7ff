// SPDX-License-Identifier: MIT
//
// The virtqueue cases of protocol.md 7.1 about order, pressure, suppression and reset.
#include <string>

#include <doctest/doctest.h>

#include "virtqueue/rig.hpp"

using namespace virtqueue;
using driver::NotPopped;
using driver::Shape;
using engine::Counts;
using engine::Disposition;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/case");

namespace {

const Shape kInfoShape{{16}, {92}};

bool publish_info(Guest& guest, std::uint64_t id) {
    return guest.publish(driver::get_device_info(id).bytes(), kInfoShape).has_value();
}

std::uint64_t popped_id(Guest& guest) {
    const auto done = guest.pop();
    REQUIRE(done.has_value());
    CHECK(done->answer.used == 92);
    return done->answer.request_id();
}

}  // namespace

TEST_CASE("VQ-014 requests may complete out of publication order and keep their own ids") {
    const auto guest = make_guest();
    constexpr std::uint64_t ids[] = {7, ~0ULL, 3, 1};
    std::vector<vhost::DescriptorChain> held(std::size(ids));
    for (const std::uint64_t id : ids)
        REQUIRE(publish_info(*guest, id));
    for (auto& chain : held)
        REQUIRE(guest->device.take(chain));
    for (const std::size_t i : {2U, 0U, 3U, 1U}) {
        CHECK(guest->pop().error() == NotPopped::Empty);
        guest->device.complete(held[i], guest->device.execute(held[i]));
        CHECK(popped_id(*guest) == ids[i]);
    }
    CHECK(guest->ring.free_descriptors() == 128);
}

TEST_CASE("VQ-015 SUBMIT's completion is independent of the event's completion") {
    const auto guest = make_guest();
    const Objects objects(*guest);
    const std::uint64_t event = objects.submit(*guest);  // has its completion already
    const auto poll = [&] {
        return guest->call(driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, guest->next_id(), event))
            .load<std::uint16_t>(16);
    };
    CHECK(poll() == VIRTIO_ACCEL_EVENT_PENDING);
    CHECK(guest->ring.outstanding() == 0);
    guest->call(driver::on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, guest->next_id(), event));
    CHECK(poll() == VIRTIO_ACCEL_EVENT_CANCELLED);
}

TEST_CASE("VQ-016 a full queue before publication is retryable backpressure, not a status") {
    const auto guest = make_guest({.ring_size = 4});
    REQUIRE(publish_info(*guest, 1));
    REQUIRE(publish_info(*guest, 2));
    for (int i = 0; i < 10; ++i)
        CHECK_FALSE(publish_info(*guest, 3));
    CHECK(guest->device.service() == 2);
    CHECK_FALSE(publish_info(*guest, 3));  // completed, but not yet the driver's
    CHECK(popped_id(*guest) == 1);
    REQUIRE(publish_info(*guest, 3));
    CHECK(guest->device.service() == 1);
    CHECK(popped_id(*guest) == 2);
    CHECK(popped_id(*guest) == 3);
    CHECK(guest->device.engine().statistics().commands == 3);
}

TEST_CASE("VQ-017 suppressing notifications never loses available or used work") {
    const auto guest = make_guest();
    guest->device.refuse_kicks();
    guest->ring.refuse_interrupts();
    REQUIRE(publish_info(*guest, 1));
    CHECK_FALSE(guest->ring.kick_wanted());
    CHECK_FALSE(guest->device.accept_kicks());
    CHECK(guest->device.service() == 1);
    CHECK(guest->device.accept_kicks());
    CHECK(guest->device.interrupts() == 0);
    CHECK_FALSE(guest->ring.accept_interrupts());
    CHECK(popped_id(*guest) == 1);
    CHECK(guest->ring.accept_interrupts());

    REQUIRE(publish_info(*guest, 2));
    CHECK(guest->ring.kick_wanted());
    CHECK(guest->device.service() == 1);
    CHECK(guest->device.interrupts() == 1);
    CHECK(popped_id(*guest) == 2);
}

TEST_CASE("VQ-018 once reset, the previous epoch makes no used element and no memory write") {
    const auto guest = make_guest();
    REQUIRE(publish_info(*guest, 1));
    REQUIRE(publish_info(*guest, 2));
    vhost::DescriptorChain overtaken;
    REQUIRE(guest->device.take(overtaken));
    guest->reset();
    CHECK(guest->reclaimed == 2);
    const Bytes before(guest->data().begin(), guest->data().end());

    CHECK(guest->device.service() == 0);
    CHECK(guest->pop().error() == NotPopped::Empty);
    CHECK(std::ranges::equal(guest->data(), before));

    REQUIRE(publish_info(*guest, 1));
    CHECK(guest->device.service() == 1);
    CHECK(popped_id(*guest) == 1);
    CHECK(guest->pop().error() == NotPopped::Empty);
}

TEST_CASE("VQ-019 all object ids die with the reset, while request ids may be used again") {
    const auto guest = make_guest();
    const Objects old(*guest);
    const std::uint64_t event = old.submit(*guest);
    CHECK(guest->reset().disposition == Disposition::Reusable);

    const std::pair<std::uint16_t, std::uint64_t> stale[] = {
        {VIRTIO_ACCEL_OP_DESTROY_CONTEXT, old.context}, {VIRTIO_ACCEL_OP_FREE_BUFFER, old.buffer},
        {VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, old.program},  {VIRTIO_ACCEL_OP_DESTROY_QUEUE, old.queue},
        {VIRTIO_ACCEL_OP_DESTROY_EVENT, event},
    };
    // Objects in the same slots do not bring them back.
    const Objects fresh(*guest);
    (void)fresh.submit(*guest);
    for (const auto& [opcode, id] : stale) {
        const Answer answer = guest->call(driver::on_object(opcode, 1, id));
        CHECK(answer.status() == Status::StaleObject);
        CHECK(answer.request_id() == 1);
    }
}

TEST_CASE("VQ-020 an indeterminate release sets DEVICE_NEEDS_RESET") {
    const std::pair<std::uint16_t, std::string_view> releases[] = {
        {VIRTIO_ACCEL_OP_DESTROY_CONTEXT, "destroy_context"},
        {VIRTIO_ACCEL_OP_FREE_BUFFER, "free_buffer"},
        {VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, "unload_program"},
        {VIRTIO_ACCEL_OP_DESTROY_QUEUE, "destroy_queue"},
        {VIRTIO_ACCEL_OP_DESTROY_EVENT, "destroy_event"},
    };
    for (const auto& [opcode, operation] : releases) {
        CAPTURE(operation);
        const auto guest = make_faulty_guest(std::string(operation) + ":1:indeterminate:Busy");
        const Prepared command = prepare(*guest, opcode);
        CHECK_FALSE(guest->device.needs_reset());
        const Answer answer = guest->call(command.frame);
        CHECK(answer.status() == Status::DeviceLost);  // whatever the provider said
        CHECK(answer.used == 16);
        CHECK(guest->device.needs_reset());
        CHECK(guest->call(driver::get_device_info(1)).status() == Status::DeviceLost);
        CHECK(guest->reset().disposition == Disposition::Discard);
    }
}

TEST_SUITE_END();
