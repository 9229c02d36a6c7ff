// SPDX-License-Identifier: MIT
#include <algorithm>

#include <doctest/doctest.h>

#include "vhost/rig.hpp"

using namespace vhost_test;
using vhost::Bytes;
using vhost::Request;

TEST_SUITE_BEGIN("vhost/session");

TEST_CASE("exactly VERSION_1, ACCESS_PLATFORM and the protocol bit are offered") {
    Rig rig;

    CHECK(as_u64(rig.get(Request::GetFeatures)) ==
          (vhost::bit(30) | vhost::bit(32) | vhost::bit(33)));
    CHECK(as_u64(rig.get(Request::GetProtocolFeatures)) ==
          (vhost::bit(0) | vhost::bit(3) | vhost::bit(5) | vhost::bit(9) | vhost::bit(13) |
           vhost::bit(15)));
}

TEST_CASE("the start sequence of QEMU ends in a running ring that echoes") {
    Rig rig;
    rig.start();

    const auto out = rig.readable("hello accelerator");
    const auto in = rig.writable(32);
    rig.submit(rig.ring.link(0, {out, in}));

    CHECK(rig.ring.used_index() == 1);
    CHECK(rig.ring.used(0) == UsedElement{0, 17});
    CHECK(rig.text_at(in, 18) == "hello accelerator.");
    CHECK(drain(rig.call_fd) == 1);
    CHECK(rig.echo.resets == 0);
    CHECK(rig.notes.refusals.empty());
}

TEST_CASE("features that were not offered are refused") {
    Rig rig;
    rig.negotiate();

    for (unsigned n : {0U, 26U, 28U, 29U, 34U, 35U, 40U}) {
        CAPTURE(n);
        CHECK(rig.ask(Request::SetFeatures, u64(vhost::kVersion1 | vhost::bit(n))) != kAck);
        CHECK(rig.ask(Request::SetProtocolFeatures, u64(vhost::kReplyAck | vhost::bit(1))) != kAck);
    }
    CHECK(rig.notes.refusals.size() == 14);
}

TEST_CASE("GET_CONFIG answers with the asked bytes and nothing when out of bounds") {
    Rig rig;
    rig.negotiate();

    const Bytes whole = rig.get(Request::GetConfig, config_access(0, 16));
    REQUIRE(whole.size() == 28);
    CHECK(whole[12] == std::byte{0xc0});
    CHECK(whole[27] == std::byte{0xcf});
    const Bytes part = rig.get(Request::GetConfig, config_access(6, 2));
    REQUIRE(part.size() == 14);
    CHECK(part[12] == std::byte{0xc6});
    CHECK(rig.get(Request::GetConfig, config_access(16, 0)).size() == 12);

    CHECK(rig.get(Request::GetConfig, config_access(0, 17)).empty());
    CHECK(rig.get(Request::GetConfig, config_access(16, 1)).empty());
    CHECK(rig.get(Request::GetConfig, config_access(0xffffffff, 2)).empty());
    Bytes lying = config_access(0, 16);
    lying.resize(20);
    CHECK(rig.get(Request::GetConfig, lying).empty());
}

TEST_CASE("SET_CONFIG is refused, since the configuration is read-only") {
    Rig rig;
    rig.negotiate();

    CHECK(rig.ask(Request::SetConfig, config_access(0, 2)) != kAck);
    CHECK(rig.get(Request::GetConfig, config_access(0, 2))[12] == std::byte{0xc0});
}

TEST_CASE("an unknown request is acknowledged as failed, or ends the connection") {
    Rig rig;
    rig.negotiate();

    SUBCASE("with NEED_REPLY") {
        CHECK(rig.ask(Request{31}, Bytes(20)) != kAck);
        CHECK(rig.ask(Request{0}) != kAck);
        CHECK(rig.ask(Request{0xffffffff}) != kAck);
        CHECK(as_u64(rig.get(Request::GetQueueNum)) == 1);
    }
    SUBCASE("without") {
        rig.front_end.send(Request{31}, Bytes(20));
        CHECK_FALSE(rig.settle().has_value());
    }
}

TEST_CASE("NEED_REPLY means nothing before REPLY_ACK is negotiated") {
    Rig rig;

    rig.front_end.send(Request::SetOwner, {}, {}, true);
    REQUIRE(rig.settle().has_value());
    CHECK_FALSE(rig.front_end.receive().has_value());

    rig.front_end.send(Request::SetFeatures, u64(1), {}, true);
    CHECK_FALSE(rig.settle().has_value());
}

TEST_CASE("requests of a protocol feature that was not negotiated are refused") {
    for (const Request request : {Request::GetConfig, Request::SetConfig}) {
        Rig rig;
        rig.front_end.send(request, config_access(0, 16));
        CHECK_FALSE(rig.settle().has_value());
    }
    for (const Request request : {Request::GetMaxMemSlots, Request::ResetDevice}) {
        Rig rig;
        rig.front_end.send(request);
        CHECK_FALSE(rig.settle().has_value());
    }
}

TEST_CASE("every vring message with an index other than 0 is refused") {
    Rig rig;
    rig.start();
    vhost::VringAddr address = rig.ring.addresses();
    address.index = 1;

    for (const Request request :
         {Request::SetVringNum, Request::SetVringBase, Request::SetVringEnable}) {
        CAPTURE(request);
        CHECK(rig.ask(request, state(1, 0)) != kAck);
        CHECK(rig.ask(request, state(0x80000000, 0)) != kAck);
    }
    CHECK(rig.ask(Request::SetVringAddr, vhost::to_bytes(address)) != kAck);
    for (const Request request :
         {Request::SetVringKick, Request::SetVringCall, Request::SetVringErr}) {
        CAPTURE(request);
        CHECK(rig.ask(request, u64(1), {rig.kick_fd.value()}) != kAck);
        CHECK(rig.ask(request, u64(1 << 9), {rig.kick_fd.value()}) != kAck);
    }
    // It has no way to say no.
    rig.front_end.send(Request::GetVringBase, state(1, 0), {}, true);
    CHECK_FALSE(rig.settle().has_value());
}

TEST_CASE("a ring has a size that is a power of two up to 32768") {
    Rig rig;
    rig.negotiate();

    for (std::uint32_t size : {0U, 3U, 100U, 65535U, 65536U, 0x80000000U}) {
        CAPTURE(size);
        CHECK(rig.ask(Request::SetVringNum, state(0, size)) != kAck);
    }
    CHECK(rig.ask(Request::SetVringNum, state(0, 32768)) == kAck);
    CHECK(rig.ask(Request::SetVringBase, state(0, 65535)) == kAck);
    CHECK(rig.ask(Request::SetVringBase, state(0, 65536)) != kAck);
    CHECK(rig.ask(Request::SetVringEnable, state(0, 2)) != kAck);
}

TEST_CASE("a started ring keeps its size, base and addresses") {
    Rig rig;
    rig.start();

    CHECK(rig.ask(Request::SetVringNum, state(0, 4)) != kAck);
    CHECK(rig.ask(Request::SetVringBase, state(0, 4)) != kAck);
    CHECK(rig.ask(Request::SetVringAddr, vhost::to_bytes(rig.ring.addresses())) != kAck);
}

TEST_CASE("a ring does not start without size, place or kick descriptor") {
    Rig rig;
    rig.negotiate();
    vhost::VringAddr address = rig.ring.addresses();
    const auto start = [&] {
        return rig.ask(Request::SetVringKick, u64(0), {rig.kick_fd.value()});
    };

    CHECK(start() != kAck);
    rig.tell(Request::SetVringNum, state(0, rig.ring.size()));
    rig.tell(Request::SetVringAddr, vhost::to_bytes(address));
    CHECK(start() != kAck);
    rig.share_memory();
    CHECK(rig.ask(Request::SetVringKick, u64(vhost::kNoFdFlag)) != kAck);

    SUBCASE("misaligned descriptors") {
        address.descriptors += 8;
    }
    SUBCASE("misaligned available ring") {
        address.available += 1;
    }
    SUBCASE("misaligned used ring") {
        address.used += 2;
    }
    SUBCASE("descriptors past the end of memory") {
        address.descriptors = rig.ram.user() + rig.ram.bytes().size() - 112;
    }
    SUBCASE("available ring past the end of memory") {
        address.available = rig.ram.user() + rig.ram.bytes().size() - 20;
    }
    SUBCASE("used ring past the end of memory") {
        address.used = rig.ram.user() + rig.ram.bytes().size() - 68;
    }
    SUBCASE("guest address instead of the front end's") {
        address.used = rig.ram.guest();
    }
    rig.tell(Request::SetVringAddr, vhost::to_bytes(address));
    CHECK(start() != kAck);

    rig.tell(Request::SetVringAddr, vhost::to_bytes(rig.ring.addresses()));
    CHECK(start() == kAck);
}

TEST_CASE("a ring may end with the last byte of memory") {
    Rig rig({.ring_size = 2});
    rig.negotiate();
    rig.share_memory();
    vhost::VringAddr address = rig.ring.addresses();
    const std::uint64_t end = rig.ram.user() + rig.ram.bytes().size();
    rig.tell(Request::SetVringNum, state(0, 2));

    SUBCASE("descriptors") {
        address.descriptors = end - 32;
    }
    SUBCASE("available ring") {
        address.available = end - 10;
    }
    SUBCASE("used ring, aligned") {
        address.used = end - 24;
    }
    rig.tell(Request::SetVringAddr, vhost::to_bytes(address));
    CHECK(rig.ask(Request::SetVringKick, u64(0), {rig.kick_fd.value()}) == kAck);
}

TEST_CASE("logging of dirty pages was not offered") {
    Rig rig;
    rig.negotiate();
    vhost::VringAddr address = rig.ring.addresses();
    address.flags = 1;

    CHECK(rig.ask(Request::SetVringAddr, vhost::to_bytes(address)) != kAck);
}

TEST_CASE("the channel for requests of our own is taken and replaced") {
    Rig rig;
    rig.negotiate();
    const std::size_t before = open_fds();

    CHECK(rig.ask(Request::SetBackendReqFd, {}, {rig.kick_fd.value()}) == kAck);
    CHECK(rig.ask(Request::SetBackendReqFd, {}, {rig.kick_fd.value()}) == kAck);
    CHECK(open_fds() == before + 1);
}

TEST_SUITE_END();
