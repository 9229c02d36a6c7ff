// SPDX-License-Identifier: MIT
//
// The driver's half of a ring against a device's half that this file plays by hand.
#include "driver/ring.hpp"

#include <array>

#include <doctest/doctest.h>

#include "vhost/ring.hpp"

using driver::Block;
using driver::NotPopped;
using driver::UsedElement;

TEST_SUITE_BEGIN("driver/ring");

namespace {

struct Rig {
    explicit Rig(std::uint16_t size, std::uint16_t index = 0) : ring(memory, size) {
        ring.restart(index);
        device.emplace(
            vhost::RingView::locate(memory.device_side(), size, ring.memory().addresses()).value(),
            index, *state);
    }

    std::optional<std::uint16_t> publish(std::size_t readable = 1, std::size_t writable = 1) {
        return ring.publish(std::vector(readable, byte), std::vector(writable, byte));
    }
    // The device takes a chain; its pieces are in `chain`.
    bool take() { return device->pop(chain, 256).value(); }
    void complete(std::uint32_t used) { REQUIRE(device->complete(chain, used).has_value()); }

    driver::SharedMemory memory{1 << 20};
    Block byte = memory.allocate(1);
    driver::Ring ring;
    std::unique_ptr<vhost::RingState> state = std::make_unique<vhost::RingState>();
    std::optional<vhost::Ring> device;
    vhost::DescriptorChain chain;
};

}  // namespace

TEST_CASE("a chain has the pieces that were published, in order, and comes back with its head") {
    Rig rig(8);
    const Block block = rig.memory.allocate(64);
    const std::array readable{block.part(0, 3), block.part(3, 13)};
    const std::array writable{block.part(16, 5), block.part(21, 1), block.part(40, 9)};
    const auto head = rig.ring.publish(readable, writable);
    REQUIRE(head.has_value());

    REQUIRE(rig.take());
    REQUIRE_FALSE(rig.chain.defect().has_value());
    const wire::Chain pieces = rig.chain.pieces();
    REQUIRE(pieces.readable.size() == 2);
    REQUIRE(pieces.writable.size() == 3);
    for (std::size_t i = 0; i < 2; ++i)
        CHECK(pieces.readable[i].size() == readable[i].bytes.size());
    // The device writes to its own mapping, the driver finds it in its.
    pieces.writable[2][8] = std::byte{0x77};
    CHECK(writable[2].bytes[8] == std::byte{0x77});
    rig.complete(15);

    const auto used = rig.ring.pop();
    REQUIRE(used.has_value());
    CHECK(*used == UsedElement{*head, 15});
    CHECK(rig.ring.pop().error() == NotPopped::Empty);
    CHECK(rig.ring.free_descriptors() == 8);
}

TEST_CASE("memory that is mapped once has one address, mapped twice it has two") {
    using driver::SharedMemory;
    for (const auto mapped : {SharedMemory::Mapped::Once, SharedMemory::Mapped::Twice}) {
        SharedMemory memory(1 << 16, mapped);
        const Block block = memory.allocate(8);
        std::byte* device = memory.device_side()->at_user(memory.user(block.guest), 8);
        REQUIRE(device != nullptr);
        CHECK((device == block.bytes.data()) == (mapped == SharedMemory::Mapped::Once));
        block.bytes[7] = std::byte{0x11};
        CHECK(device[7] == std::byte{0x11});
    }
}

TEST_CASE("without enough descriptors nothing is published, and all is well afterwards") {
    Rig rig(4);
    REQUIRE(rig.publish(2, 1).has_value());
    CHECK_FALSE(rig.publish().has_value());
    CHECK(rig.ring.memory().available_index() == 1);
    CHECK_FALSE(rig.publish(0, 0).has_value());

    REQUIRE(rig.take());
    CHECK_FALSE(rig.publish().has_value());
    rig.complete(1);
    REQUIRE(rig.ring.pop().has_value());
    CHECK(rig.publish(1, 3).has_value());
    CHECK(rig.ring.free_descriptors() == 0);
}

TEST_CASE("rings of every size go round many times, through the wrap of their indices") {
    for (std::uint16_t size = 2; size <= 1024; size = static_cast<std::uint16_t>(size * 2)) {
        CAPTURE(size);
        Rig rig(size, 65500);
        for (int round = 0; round < 100; ++round) {
            const auto head = rig.publish(1, std::min<std::size_t>(size - 1U, 1U + round % 3U));
            REQUIRE(head.has_value());
            REQUIRE(rig.take());
            REQUIRE_FALSE(rig.chain.defect().has_value());
            rig.complete(1);
            REQUIRE(rig.ring.pop() == UsedElement{*head, 1});
        }
        CHECK(rig.ring.free_descriptors() == size);
        CHECK(rig.ring.memory().used_index() == static_cast<std::uint16_t>(65600));
    }
}

TEST_CASE("chains that come back in another order give their own descriptors back") {
    Rig rig(8);
    const auto first = rig.publish(3, 1);
    const auto second = rig.publish(1, 1);
    REQUIRE(rig.take());
    vhost::DescriptorChain other = rig.chain;
    REQUIRE(rig.take());
    rig.complete(1);
    CHECK(rig.ring.pop()->head == *second);
    CHECK(rig.ring.free_descriptors() == 4);
    rig.chain = other;
    rig.complete(0);
    CHECK(rig.ring.pop()->head == *first);
    CHECK(rig.publish(7, 1).has_value());
    REQUIRE(rig.take());
    CHECK_FALSE(rig.chain.defect().has_value());
}

TEST_CASE("a device that invents completions is found out") {
    Rig rig(8);
    const auto& memory = rig.ring.memory();
    REQUIRE(rig.publish() == 0);

    SUBCASE("more than are outstanding") {
        memory.set_used_index(2);
        CHECK(rig.ring.pop().error() == NotPopped::UsedIndex);
    }
    SUBCASE("an index that went back") {
        memory.set_used_index(0xffff);
        CHECK(rig.ring.pop().error() == NotPopped::UsedIndex);
    }
    SUBCASE("heads that are not outstanding") {
        const auto view = vhost::RingView::locate(rig.memory.device_side(), 8, memory.addresses());
        for (const std::uint32_t head : {1U, 7U, 8U, 0x10000U, 0xffffffffU}) {
            CAPTURE(head);
            view->set_used_element(0, head, 16);
            memory.set_used_index(1);
            CHECK(rig.ring.pop().error() == NotPopped::UnknownHead);
        }
    }
    CHECK(rig.ring.outstanding() == 1);
    CHECK(rig.ring.restart() == 1);
    CHECK(rig.ring.free_descriptors() == 8);
}

TEST_CASE("a kick is left out exactly while the device refuses it") {
    Rig rig(8);
    rig.publish();
    CHECK(rig.ring.kick_wanted());
    rig.device->refuse_kicks();
    rig.publish();
    CHECK_FALSE(rig.ring.kick_wanted());
    REQUIRE(rig.take());
    // The chain whose kick was left out is found on the second look.
    CHECK_FALSE(rig.device->accept_kicks());
    REQUIRE(rig.take());
    CHECK(rig.device->accept_kicks());
    CHECK(rig.ring.kick_wanted());
}

TEST_CASE("a completion that came while interrupts were refused is found on the second look") {
    Rig rig(8);
    rig.publish();
    REQUIRE(rig.take());
    rig.ring.refuse_interrupts();
    rig.complete(0);
    CHECK_FALSE(rig.device->interrupt_wanted());
    CHECK_FALSE(rig.ring.accept_interrupts());
    CHECK(rig.ring.pop().has_value());
    CHECK(rig.ring.accept_interrupts());
    CHECK(rig.device->interrupt_wanted());
}

TEST_SUITE_END();
