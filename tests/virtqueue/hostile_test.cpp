// SPDX-License-Identifier: MIT
//
// A driver that writes to the ring what no driver should. A chain that cannot be used
// is returned once, empty; a ring that cannot be trusted stops. Neither is tried again.
#include <algorithm>

#include <doctest/doctest.h>

#include "virtqueue/rig.hpp"

using namespace virtqueue;
using driver::UsedElement;
using vhost::Descriptor;
using vhost::RingFault;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/hostile");

namespace {

constexpr std::uint16_t kNext = vhost::kDescriptorNext;
constexpr std::uint16_t kWrite = vhost::kDescriptorWrite;
constexpr std::uint16_t kIndirect = vhost::kDescriptorIndirect;

// A readable descriptor that holds a whole GET_DEVICE_INFO.
Descriptor info(Guest& guest) {
    const Bytes frame = driver::get_device_info(1).bytes();
    const Descriptor descriptor = readable(guest, frame.size());
    std::ranges::copy(frame, bytes_of(guest, descriptor).begin());
    return descriptor;
}

// A good chain at descriptors 30 and 31 is served.
void check_good(Guest& guest) {
    const std::uint16_t before = guest.ring.memory().used_index();
    guest.ring.memory().publish(link(guest, 30, {info(guest), writable(guest, 92)}));
    CHECK(guest.device.service() == 1);
    CHECK(guest.ring.memory().used(before) == UsedElement{30, 92});
}

Descriptor with(Descriptor descriptor, std::uint16_t flags, std::uint16_t next) {
    descriptor.flags = static_cast<std::uint16_t>(descriptor.flags | flags);
    descriptor.next = next;
    return descriptor;
}

Descriptor at(std::uint64_t address, std::uint32_t length, std::uint16_t flags = 0) {
    return {.address = address, .length = length, .flags = flags};
}

}  // namespace

TEST_CASE("chains that never end come back once") {
    const auto guest = make_guest();
    const auto& ring = guest->ring.memory();
    const Descriptor in = info(*guest);
    const Descriptor out = writable(*guest, 92);
    SUBCASE("a descriptor after itself") {
        ring.set_descriptor(0, with(in, kNext, 0));
    }
    SUBCASE("a loop after both directions") {
        ring.set_descriptor(0, with(in, kNext, 1));
        ring.set_descriptor(1, with(out, kNext, 2));
        ring.set_descriptor(2, with(out, kNext, 1));
    }
    SUBCASE("back to the head") {
        ring.set_descriptor(0, with(in, kNext, 1));
        ring.set_descriptor(1, with(in, kNext, 0));
    }
    SUBCASE("through the whole ring") {
        for (std::uint16_t i = 0; i < 128; ++i)
            ring.set_descriptor(
                i, with(i < 64 ? in : out, kNext, static_cast<std::uint16_t>((i + 1) % 128)));
    }
    SUBCASE("to a descriptor that is not there") {
        ring.set_descriptor(0, with(in, kNext, 128));
    }
    SUBCASE("to the last index that can be written") {
        ring.set_descriptor(0, with(in, kNext, 65535));
    }
    check_unusable(*guest, 0);
    check_good(*guest);
}

TEST_CASE("addresses outside memory, in every way that they can be") {
    const auto guest = make_guest();
    const Descriptor in = info(*guest);
    const Descriptor out = writable(*guest, 92);
    const std::uint64_t start = guest->memory.guest();
    const std::uint64_t end = start + guest->memory.bytes().size();
    const std::pair<std::uint64_t, std::uint32_t> ranges[] = {
        {~0ULL, 1},           {~0ULL, 2},       {~0ULL - 15, 16},
        {~0ULL - 15, 17},     {1ULL << 63, 16}, {0, 16},
        {start - 1, 2},       {end, 1},         {end - 1, 2},
        {start, ~0U},         {end - 16, 17},   {0, ~0U},
        {~0ULL - (~0U), ~0U}, {start - 16, 16}, {guest->memory.user(start), 16},
    };
    for (const auto& [address, length] : ranges) {
        CAPTURE(address);
        CAPTURE(length);
        check_unusable(*guest, link(*guest, 0, {at(address, length), out}));
        check_unusable(*guest, link(*guest, 4, {in, at(address, length, kWrite)}));
        // Even behind room enough for the answer.
        check_unusable(*guest, link(*guest, 8, {in, out, at(address, length, kWrite)}));
    }
    check_good(*guest);
}

TEST_CASE("INDIRECT was not negotiated: plain, nested or outside memory, it is refused") {
    const auto guest = make_guest();
    const Descriptor out = writable(*guest, 92);
    Descriptor table = readable(*guest, 4 * sizeof(Descriptor));
    const auto entries =
        std::span(reinterpret_cast<Descriptor*>(bytes_of(*guest, table).data()), 4);
    entries[0] = with(info(*guest), kNext, 1);
    entries[1] = out;
    table.flags = kIndirect;
    SUBCASE("a good table") {
        check_unusable(*guest, link(*guest, 0, {table}));
    }
    SUBCASE("a good table, with a descriptor behind it") {
        check_unusable(*guest, link(*guest, 0, {table, out}));
    }
    SUBCASE("a table of tables") {
        entries[0] = with(table, kNext, 1);
        check_unusable(*guest, link(*guest, 0, {table}));
    }
    SUBCASE("a table outside memory") {
        check_unusable(*guest, link(*guest, 0, {at(~0ULL - 15, 32, kIndirect)}));
    }
    SUBCASE("a writable table") {
        check_unusable(*guest, link(*guest, 0, {with(table, kWrite, 0)}));
    }
    SUBCASE("a table of no length") {
        table.length = 0;
        check_unusable(*guest, link(*guest, 0, {table}));
    }
    check_good(*guest);
}

TEST_CASE("a response never lands in memory that the chain does not offer for writing") {
    const auto guest = make_guest();
    const Descriptor in = info(*guest);
    const Descriptor small = writable(*guest, 91);
    Descriptor not_writable = writable(*guest, 92);
    not_writable.flags = 0;
    // Room for the response without the write flag is request bytes, and too many.
    const auto& ring = guest->ring.memory();
    ring.publish(link(*guest, 0, {in, not_writable, small}));
    CHECK(guest->device.service() == 1);
    CHECK(ring.used(0) == UsedElement{0, 16});
    CHECK(std::ranges::all_of(bytes_of(*guest, not_writable),
                              [](std::byte b) { return b == driver::kSentinel; }));
    check_unusable(*guest, link(*guest, 4, {in, not_writable}));
    check_good(*guest);
}

TEST_CASE("lengths that add up beyond all reason") {
    const auto guest = make_guest({.ring_size = 512});
    const std::uint64_t start = guest->memory.guest();
    const auto all = static_cast<std::uint32_t>(guest->memory.bytes().size());
    const Descriptor out = writable(*guest, 92);
    const auto& ring = guest->ring.memory();
    const auto chain = [&](const Descriptor& piece) {
        for (std::uint16_t i = 0; i < 255; ++i)
            ring.set_descriptor(i, with(piece, kNext, static_cast<std::uint16_t>(i + 1)));
        ring.set_descriptor(255, out);
    };
    // As near to 2^64 as 256 lengths of 32 bits come: the memory is not there.
    chain(at(start, ~0U));
    check_unusable(*guest, 0);
    // All of memory 255 times over: more than any frame may have.
    chain(at(start, all));
    const std::uint16_t before = ring.used_index();
    ring.publish(0);
    CHECK(guest->device.service() == 1);
    CHECK(ring.used(before).length == 16);
    CHECK(bytes_of(*guest, out)[0] == static_cast<std::byte>(VIRTIO_ACCEL_S_RESOURCE_LIMIT));
}

TEST_CASE("a ring that cannot be trusted stops, and is not read again until it is started") {
    const auto guest = make_guest();
    const auto& ring = guest->ring.memory();
    const std::uint16_t head = link(*guest, 0, {info(*guest), writable(*guest, 92)});
    RingFault fault{};
    SUBCASE("head index of the ring's size") {
        ring.publish(128);
        fault = RingFault::HeadOutOfRange;
    }
    SUBCASE("largest head index") {
        ring.publish(65535);
        fault = RingFault::HeadOutOfRange;
    }
    SUBCASE("available index one more than the ring holds") {
        ring.set_available_index(129);
        fault = RingFault::AvailableIndex;
    }
    SUBCASE("available index half way round") {
        ring.set_available_index(32768);
        fault = RingFault::AvailableIndex;
    }
    SUBCASE("available index that went back") {
        ring.set_available_index(65535);
        fault = RingFault::AvailableIndex;
    }
    CHECK(guest->device.service() == 0);
    REQUIRE(guest->device.fault().has_value());
    CHECK(*guest->device.fault() == fault);
    CHECK(ring.used_index() == 0);

    ring.set_available_index(0);
    ring.publish(head);
    CHECK(guest->device.service() == 0);
    guest->restart(0);
    CHECK(guest->call(driver::get_device_info(1)).used == 92);
}

TEST_CASE(
    "a head that is published twice at once stops the ring, one after the other it does not") {
    const auto guest = make_guest();
    const auto& ring = guest->ring.memory();
    const std::uint16_t head = link(*guest, 0, {info(*guest), writable(*guest, 92)});
    ring.publish(head);
    ring.publish(head);
    SUBCASE("served one by one, the second is a chain of its own") {
        CHECK(guest->device.service() == 2);
        CHECK(ring.used(0) == UsedElement{head, 92});
        CHECK(ring.used(1) == UsedElement{head, 92});
    }
    SUBCASE("while the first is held") {
        vhost::DescriptorChain first;
        vhost::DescriptorChain second;
        REQUIRE(guest->device.take(first));
        CHECK_FALSE(guest->device.take(second));
        REQUIRE(guest->device.fault().has_value());
        CHECK(*guest->device.fault() == RingFault::HeadInFlight);
    }
}

TEST_CASE("one-descriptor chains four times round the ring leak no slot") {
    for (std::uint16_t size = 2; size <= 1024; size = static_cast<std::uint16_t>(size * 8)) {
        CAPTURE(size);
        const auto guest = make_guest({.ring_size = size});
        const auto& ring = guest->ring.memory();
        const Descriptor in = info(*guest);
        for (std::uint16_t head = 0; head < size; ++head)
            ring.set_descriptor(head, in);
        for (int round = 0; round < 4; ++round) {
            for (std::uint16_t head = 0; head < size; ++head)
                ring.publish(head);
            REQUIRE(guest->device.service() == size);
        }
        CHECK(ring.used_index() == 4 * size);
        for (std::uint16_t i = 0; i < size; ++i)
            REQUIRE(ring.used(i) == UsedElement{i, 0});
        CHECK(guest->device.service() == 0);
        // Every head may be used again, and by a good chain.
        guest->restart(0);
        CHECK(guest->call(driver::get_device_info(1)).used == 92);
    }
}

TEST_CASE("readable totals of 0, 1 and 15 bytes, writable of 0 and 15") {
    const auto guest = make_guest();
    const Descriptor in = info(*guest);
    for (const std::uint32_t bytes : {0U, 1U, 15U}) {
        CAPTURE(bytes);
        Descriptor part = in;
        part.length = bytes;
        const auto& ring = guest->ring.memory();
        const std::uint16_t before = ring.used_index();
        const Descriptor out = writable(*guest, 92);
        ring.publish(link(*guest, 0, {part, out}));
        Descriptor room = writable(*guest, 15);
        room.length = bytes;
        ring.publish(link(*guest, 4, {in, room}));
        CHECK(guest->device.service() == 2);
        CHECK(ring.used(before) == UsedElement{0, 0});
        CHECK(ring.used(static_cast<std::uint16_t>(before + 1)) == UsedElement{4, 0});
        for (const Descriptor& untouched : {out, room})
            CHECK(std::ranges::all_of(bytes_of(*guest, untouched),
                                      [](std::byte b) { return b == driver::kSentinel; }));
        CHECK(guest->device.service() == 0);
    }
    check_good(*guest);
}

TEST_CASE("a binding count of 4294967295 in a frame without bindings is refused unread") {
    const auto guest = make_guest();
    const Objects objects(*guest);
    virtio_accel_submit raw{.queue_id = objects.queue,
                            .program_id = objects.program,
                            .binding_count = 0xffffffff,
                            .flags = 0,
                            .timeout_ns = 0};
    const auto send = [&] {
        return guest->call(driver::Request(VIRTIO_ACCEL_OP_SUBMIT, guest->next_id(), raw));
    };
    CHECK(send().status() == Status::ResourceLimit);
    raw.binding_count = 0x08000001;  // times 32 is 32 in 32 bits
    CHECK(send().status() == Status::ResourceLimit);
    raw.binding_count = 1;
    CHECK(send().status() == Status::InvalidArgument);
    CHECK(guest->device.engine().live().events == 0);
}

TEST_SUITE_END();
