// SPDX-License-Identifier: MIT
#include "virtqueue/rig.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "provider/fault/fault.hpp"

namespace virtqueue {

using driver::Request;
using wire::Status;

std::unique_ptr<Guest> make_guest(const Guest::Options& options) {
    return std::make_unique<Guest>(std::make_unique<mock::Provider>(), options);
}

std::unique_ptr<Guest> make_faulty_guest(std::string_view faults) {
    return std::make_unique<Guest>(std::make_unique<fault::Provider>(
        std::make_unique<mock::Provider>(), fault::Script::parse(faults).value()));
}

std::array<std::byte, mock::kArtifactBytes> xor_artifact() {
    return mock::encode(
        {.operation = mock::Operation::Xor, .first_slot = 0, .operand = std::byte{0x5a}});
}

std::array<virtio_accel_binding, 1> xor_binding(std::uint64_t buffer) {
    return {driver::bind(buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16)};
}

Request load_xor(std::uint64_t id, std::uint64_t context, std::span<const std::byte> artifact) {
    return driver::load_program(id,
                                {.context = context,
                                 .format = mock::kFormat,
                                 .target = mock::kTarget,
                                 .resident_bytes = mock::kResidentBytes},
                                artifact);
}

Objects::Objects(Guest& guest)
    : context(guest.call(driver::create_context(guest.next_id())).id()),
      buffer(guest.call(driver::allocate_buffer(guest.next_id(), {context, 64})).id()),
      program(guest.call(load_xor(guest.next_id(), context, xor_artifact())).id()),
      queue(guest.call(driver::create_queue(guest.next_id(), context)).id()) {}

std::uint64_t Objects::submit(Guest& guest) const {
    const auto binding = xor_binding(buffer);
    const Answer answer = guest.call(driver::submit(guest.next_id(), queue, program, binding));
    REQUIRE(answer.status() == Status::Ok);
    return answer.id();
}

Prepared prepare(Guest& guest, std::uint16_t opcode) {
    const Objects objects(guest);
    const auto operand = [&](std::uint64_t object, std::size_t response = 16) -> Prepared {
        return {driver::on_object(opcode, guest.next_id(), object).bytes(), response};
    };
    const auto command = [](const Request& request, std::size_t response) -> Prepared {
        return {request.bytes(), response};
    };
    const auto data = Bytes(8, std::byte{0x42});
    switch (opcode) {
        case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
            return command(driver::get_device_info(guest.next_id()), 92);
        case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
            return command(driver::create_context(guest.next_id()), 24);
        case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
            return operand(guest.call(driver::create_context(guest.next_id())).id());
        case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
            return command(driver::allocate_buffer(guest.next_id(), {objects.context, 32}), 24);
        case VIRTIO_ACCEL_OP_FREE_BUFFER:
            return operand(objects.buffer);
        case VIRTIO_ACCEL_OP_WRITE_BUFFER:
            return command(driver::write_buffer(guest.next_id(), objects.buffer, 3, data), 16);
        case VIRTIO_ACCEL_OP_READ_BUFFER:
            guest.call(driver::write_buffer(guest.next_id(), objects.buffer, 3, data));
            return command(driver::read_buffer(guest.next_id(), objects.buffer, 1, 11), 27);
        case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
            return command(load_xor(guest.next_id(), objects.context, xor_artifact()), 24);
        case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
            return operand(objects.program);
        case VIRTIO_ACCEL_OP_CREATE_QUEUE:
            return command(driver::create_queue(guest.next_id(), objects.context), 24);
        case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
            return operand(objects.queue);
        case VIRTIO_ACCEL_OP_SUBMIT: {
            const auto binding = xor_binding(objects.buffer);
            return command(driver::submit(guest.next_id(), objects.queue, objects.program, binding),
                           24);
        }
        case VIRTIO_ACCEL_OP_POLL_EVENT:
            return operand(objects.submit(guest), 24);
        case VIRTIO_ACCEL_OP_CANCEL_EVENT:
            return operand(objects.submit(guest));
        default: {
            const std::uint64_t event = objects.submit(guest);
            guest.call(driver::on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, guest.next_id(), event));
            return operand(event);
        }
    }
}

std::uint16_t link(Guest& guest, std::uint16_t first,
                   std::initializer_list<vhost::Descriptor> chain) {
    std::uint16_t index = first;
    for (auto it = chain.begin(); it != chain.end(); ++it, ++index) {
        vhost::Descriptor descriptor = *it;
        if (std::next(it) != chain.end()) {
            descriptor.flags |= vhost::kDescriptorNext;
            descriptor.next = static_cast<std::uint16_t>(index + 1);
        }
        guest.ring.memory().set_descriptor(index, descriptor);
    }
    return first;
}

vhost::Descriptor readable(Guest& guest, std::size_t bytes) {
    const driver::Block block = guest.memory.allocate(bytes);
    std::ranges::fill(block.bytes, driver::kSentinel);
    return {.address = block.guest, .length = static_cast<std::uint32_t>(bytes)};
}

vhost::Descriptor writable(Guest& guest, std::size_t bytes) {
    vhost::Descriptor descriptor = readable(guest, bytes);
    descriptor.flags = vhost::kDescriptorWrite;
    return descriptor;
}

std::span<std::byte> bytes_of(Guest& guest, const vhost::Descriptor& descriptor) {
    return guest.memory.bytes().subspan(descriptor.address - guest.memory.guest(),
                                        descriptor.length);
}

void check_unusable(Guest& guest, std::uint16_t head) {
    const auto& ring = guest.ring.memory();
    const std::uint16_t before = ring.used_index();
    const std::uint64_t commands = guest.device.engine().statistics().commands;
    const Bytes memory(guest.data().begin(), guest.data().end());

    ring.publish(head);
    CHECK(guest.device.service() == 1);
    CHECK(ring.used_index() == static_cast<std::uint16_t>(before + 1));
    CHECK(ring.used(before) == driver::UsedElement{head, 0});
    CHECK(guest.device.engine().statistics().commands == commands);
    CHECK(std::ranges::equal(memory, guest.data()));

    CHECK(guest.device.service() == 0);
    CHECK(guest.device.accept_kicks());
    CHECK_FALSE(guest.device.fault().has_value());
}

}  // namespace virtqueue
