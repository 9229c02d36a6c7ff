// SPDX-License-Identifier: MIT
//
// Every command over every number of descriptors, every size of ring, and the wrap of
// its indices.
#include <doctest/doctest.h>

#include "virtqueue/rig.hpp"

using namespace virtqueue;
using driver::Shape;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/split");

namespace {

// `bytes` in exactly `count` pieces, the first ones a byte longer.
std::vector<std::size_t> pieces(std::size_t bytes, std::size_t count) {
    std::vector<std::size_t> sizes(count, bytes / count);
    for (std::size_t i = 0; i < bytes % count; ++i)
        ++sizes[i];
    return sizes;
}

constexpr std::size_t kCapacity = 300;

}  // namespace

TEST_CASE("every response is the same at any split point") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto whole = make_guest();
        const Prepared command = prepare(*whole, opcode);
        const std::size_t bytes = command.response_bytes;
        const Bytes expected = whole->call(command.frame, bytes).written;
        for (std::size_t split = 1; split < bytes; ++split) {
            CAPTURE(split);
            const auto guest = make_guest();
            const Bytes frame = prepare(*guest, opcode).frame;
            const Answer answer = guest->call(frame, Shape{{frame.size()}, {split, bytes - split}});
            REQUIRE(answer.used == bytes);
            REQUIRE(answer.written == expected);
        }
    }
}

TEST_CASE("every command works over 2 to 256 descriptors, most of them on either side") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto whole = make_guest();
        const Prepared command = prepare(*whole, opcode);
        const Bytes expected = whole->call(command.frame, kCapacity).written;
        for (std::size_t count = 2; count <= 256; ++count) {
            CAPTURE(count);
            const std::size_t most_readable = std::min(count - 1, command.frame.size());
            for (const std::size_t readable : {std::size_t{1}, most_readable}) {
                const auto guest = make_guest({.ring_size = 256, .memory_bytes = 1 << 16});
                const Bytes frame = prepare(*guest, opcode).frame;
                const Answer answer = guest->call(
                    frame,
                    Shape{pieces(frame.size(), readable), pieces(kCapacity, count - readable)});
                REQUIRE(answer.used == command.response_bytes);
                REQUIRE(answer.written == expected);
            }
        }
    }
}

TEST_CASE("exactly the allowed number of descriptors is accepted and one more refused") {
    constexpr std::uint16_t limits[] = {2, 3, 8, 255, 256};
    for (const std::uint16_t limit : limits) {
        CAPTURE(limit);
        Guest::Options options{.ring_size = 512};
        options.device.config.max_chain_descriptors = limit;
        const auto guest = make_guest(options);
        const Bytes info = driver::get_device_info(1).bytes();
        CHECK(guest->call(info, Shape{{16}, pieces(300, limit - 1U)}).used == 92);
        const Answer longer = guest->call(info, Shape{{16}, pieces(300, limit)});
        CHECK(longer.used == 0);
        CHECK(longer.rest_untouched());
        CHECK(guest->call(info).used == 92);
    }
}

TEST_CASE("rings of 2 to 1024 serve full rounds of commands past the wrap of their indices") {
    for (std::uint16_t size = 2; size <= 1024; size = static_cast<std::uint16_t>(size * 2)) {
        CAPTURE(size);
        const auto guest = make_guest({.ring_size = size});
        guest->restart(static_cast<std::uint16_t>(65535 - size / 4));
        std::uint64_t published = 0;
        std::uint64_t answered = 0;
        for (int round = 0; round < 3; ++round) {
            while (guest->publish(driver::get_device_info(published + 1).bytes(), {{16}, {92}}))
                ++published;
            CHECK(guest->ring.free_descriptors() == 0);
            CHECK(guest->device.service() == size / 2);
            while (const auto done = guest->pop()) {
                REQUIRE(done->answer.status() == Status::Ok);
                REQUIRE(done->answer.request_id() == ++answered);
            }
        }
        CHECK(answered == 3U * (size / 2U));
        CHECK(guest->ring.free_descriptors() == size);
    }
}

TEST_CASE("indices of both rings go from 65535 to 0") {
    const auto guest = make_guest({.ring_size = 8});
    guest->restart(65533);
    for (int i = 0; i < 6; ++i) {
        CHECK(guest->call(driver::get_device_info(guest->next_id())).status() == Status::Ok);
        CHECK(guest->ring.memory().used_index() == static_cast<std::uint16_t>(65534 + i));
        CHECK(guest->ring.memory().available_index() == guest->ring.memory().used_index());
    }
}

TEST_SUITE_END();
