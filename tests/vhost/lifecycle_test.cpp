// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "vhost/rig.hpp"

using namespace vhost_test;
using vhost::Request;

TEST_SUITE_BEGIN("vhost/lifecycle");

namespace {

void echo_once(Rig& rig) {
    const std::uint16_t before = rig.ring.used_index();
    rig.submit(rig.ring.link(0, {rig.readable("ping"), rig.writable(4)}));
    REQUIRE(rig.ring.used_index() == static_cast<std::uint16_t>(before + 1));
}

// How often guest memory is mapped, by either side.
std::size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);)
        count += line.contains("memfd:guest");
    return count;
}

// What the guest and QEMU do when the driver is bound again.
void rebind(Rig& rig) {
    rig.stop_ring();
    rig.ring.clear();
    rig.start_ring(0);
}

}  // namespace

TEST_CASE("a pause of the machine keeps everything and goes on where it was") {
    Rig rig;
    rig.start();
    echo_once(rig);
    echo_once(rig);

    const std::uint32_t base = rig.stop_ring();
    CHECK(base == 2);
    rig.start_ring(base);
    CHECK(rig.echo.resets == 0);
    echo_once(rig);
    CHECK(rig.echo.resets == 0);
    CHECK(rig.echo.requests.size() == 3);
}

TEST_CASE("chains are answered in any order, and a stop waits for all of them") {
    Rig rig;
    rig.start();
    rig.echo.hold = true;
    std::vector<std::uint16_t> heads;
    for (std::uint16_t first = 0; first < 6; first += 2) {
        heads.push_back(rig.ring.link(first, {rig.readable("ping"), rig.writable(4)}));
        rig.submit(heads.back());
    }
    CHECK(rig.echo.held.size() == 3);
    CHECK(rig.ring.used_index() == 0);

    CHECK(rig.stop_ring() == 3);
    REQUIRE(rig.ring.used_index() == 3);
    for (std::uint16_t i = 0; i < 3; ++i) {
        CHECK(rig.ring.used(i).head == heads[2U - i]);
        CHECK(rig.ring.used(i).length == 4);
    }
}

TEST_CASE("a chain that is being served keeps its memory when the region is taken away") {
    Rig rig;
    rig.start();
    rig.echo.hold = true;
    rig.submit(rig.ring.link(0, {rig.readable("ping"), rig.writable(4)}));
    REQUIRE(rig.ask(Request::RemMemReg, vhost::to_bytes(vhost::MemRegion{0, rig.ram.region()})) ==
            kAck);
    CHECK(rig.ring.used_index() == 0);
    rig.stop_ring();
    CHECK(rig.ring.used_index() == 1);
}

TEST_CASE("a front end that leaves waits for what is being served") {
    Rig rig;
    rig.start();
    rig.echo.hold = true;
    rig.submit(rig.ring.link(0, {rig.readable("ping"), rig.writable(4)}));
    rig.connection.reset();
    CHECK(rig.echo.held.empty());
}

TEST_CASE("a device that is plugged in anew has a session of its own on the same connection") {
    Rig rig;
    rig.start();
    echo_once(rig);
    rig.stop_ring();
    rig.ring.clear();

    rig.start();
    CHECK(rig.echo.resets == 1);
    echo_once(rig);
    CHECK(rig.echo.resets == 1);
}

TEST_CASE("a reset by the guest is told apart at the next start") {
    Rig rig;
    rig.start();
    echo_once(rig);

    rig.stop_ring();
    CHECK(rig.echo.resets == 0);
    rig.ring.clear();
    rig.start_ring(0);
    CHECK(rig.echo.resets == 1);
    echo_once(rig);
    CHECK(rig.echo.resets == 1);

    rebind(rig);
    CHECK(rig.echo.resets == 2);
}

TEST_CASE("a restart of a ring that served nothing has nothing to reset") {
    Rig rig;
    rig.start();
    CHECK(rig.echo.resets == 0);
    rebind(rig);
    rig.start_ring(rig.stop_ring());
    CHECK(rig.echo.resets == 0);
}

TEST_CASE("a pause after exactly 65536 chains is no reset, a reset then is one") {
    Rig rig({.ring_size = 1024});
    rig.start();
    const auto head = rig.ring.link(0, {rig.readable("r"), rig.writable(1)});
    for (int i = 0; i < 65536; i += 1024) {
        for (int j = 0; j < 1024; ++j)
            rig.ring.publish(head);
        kick(rig.kick_fd);
        REQUIRE(rig.settle().has_value());
    }
    REQUIRE(rig.echo.requests.size() == 65536);
    REQUIRE(rig.ring.used_index() == 0);

    const std::uint32_t base = rig.stop_ring();
    CHECK(base == 0);
    SUBCASE("pause") {
        rig.start_ring(base);
        CHECK(rig.echo.resets == 0);
    }
    SUBCASE("reset") {
        rig.ring.clear();
        rig.start_ring(0);
        CHECK(rig.echo.resets == 1);
    }
}

TEST_CASE("a start at another base, or on a used ring, is no reset") {
    Rig rig;
    rig.start();
    echo_once(rig);
    rig.stop_ring();

    SUBCASE("base 0 but the used index goes on") {
        rig.ring.set_available_index(0);
        rig.start_ring(0);
    }
    SUBCASE("cleared ring but base goes on") {
        rig.ring.clear();
        rig.ring.set_available_index(1);
        rig.start_ring(1);
    }
    CHECK(rig.echo.resets == 0);
}

TEST_CASE("RESET_DEVICE resets at once, stops and disables the ring") {
    Rig rig;
    rig.start();
    echo_once(rig);

    CHECK(rig.ask(Request::ResetDevice) == kAck);
    CHECK(rig.echo.resets == 1);
    rig.ring.publish(rig.ring.link(0, {rig.readable("late"), rig.writable(4)}));
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.ring.used_index() == 1);

    // Started, but not yet enabled again.
    rig.ring.clear();
    drain(rig.kick_fd);
    rig.tell(Request::SetVringNum, state(0, rig.ring.size()));
    rig.tell(Request::SetVringAddr, vhost::to_bytes(rig.ring.addresses()));
    REQUIRE(rig.ask(Request::SetVringKick, u64(0), {rig.kick_fd.value()}) == kAck);
    rig.submit(rig.ring.link(0, {rig.readable("late"), rig.writable(4)}));
    CHECK(rig.ring.used_index() == 0);
    REQUIRE(rig.ask(Request::SetVringEnable, state(0, 1)) == kAck);
    CHECK(rig.ring.used_index() == 1);
    CHECK(rig.echo.resets == 1);
}

TEST_CASE("after GET_VRING_BASE nothing of the guest is touched") {
    Rig rig;
    rig.start();
    echo_once(rig);
    drain(rig.call_fd);
    const std::size_t fds = open_fds();
    CHECK(rig.stop_ring() == 1);
    CHECK(open_fds() == fds - 1);  // the kick descriptor

    rig.submit(rig.ring.link(0, {rig.readable("late"), rig.writable(4)}));
    CHECK(rig.ring.used_index() == 1);
    CHECK(rig.ring.used_flags() == 0);
    CHECK(drain(rig.call_fd) == 0);
    CHECK(drain(rig.kick_fd) == 1);
}

TEST_CASE("a chain that was there before the ring was enabled needs no kick") {
    Rig rig;
    rig.negotiate();
    rig.share_memory();

    SUBCASE("kicked before the enable") {
        kick(rig.kick_fd);
    }
    SUBCASE("never kicked") {}
    rig.ring.publish(rig.ring.link(0, {rig.readable("early"), rig.writable(5)}));
    rig.start_ring();
    CHECK(rig.ring.used_index() == 1);
}

TEST_CASE("a started but disabled ring has no side effects") {
    Rig rig;
    rig.start();
    REQUIRE(rig.ask(Request::SetVringEnable, state(0, 0)) == kAck);

    rig.submit(rig.ring.link(0, {rig.readable("a"), rig.writable(1)}));
    CHECK(rig.ring.used_index() == 0);
    CHECK(rig.ring.used_flags() == 0);

    REQUIRE(rig.ask(Request::SetVringEnable, state(0, 1)) == kAck);
    CHECK(rig.ring.used_index() == 1);
}

TEST_CASE("a front end without protocol features has its rings enabled from the start") {
    Rig rig;
    rig.tell(Request::SetFeatures, u64(vhost::kVersion1));
    const auto region = rig.ram.region();
    vhost::Bytes table = vhost::to_bytes(vhost::MemTableHeader{1, 0});
    const vhost::Bytes one = vhost::to_bytes(region);
    table.insert(table.end(), one.begin(), one.end());
    rig.tell(Request::SetMemTable, table, {rig.ram.fd()});
    rig.tell(Request::SetVringNum, state(0, rig.ring.size()));
    rig.tell(Request::SetVringBase, state(0, 0));
    rig.tell(Request::SetVringAddr, vhost::to_bytes(rig.ring.addresses()));
    rig.tell(Request::SetVringKick, u64(0), {rig.kick_fd.value()});

    rig.submit(rig.ring.link(0, {rig.readable("a"), rig.writable(1)}));
    CHECK(rig.ring.used_index() == 1);
}

TEST_CASE("memory may come and go under a running ring") {
    Rig rig;
    GuestRam extra(0x900000, 0x20000, 4096);
    const auto message = vhost::to_bytes(vhost::MemRegion{0, extra.region()});
    rig.start();
    const vhost::Descriptor in{extra.guest(), 4, vhost::kDescriptorWrite, 0};

    rig.submit(rig.ring.link(0, {rig.readable("ping"), in}));
    CHECK(rig.ring.used(0) == UsedElement{0, 0});
    REQUIRE(rig.ask(Request::AddMemReg, message, {extra.fd()}) == kAck);
    rig.submit(rig.ring.link(0, {rig.readable("ping"), in}));
    CHECK(rig.ring.used(1) == UsedElement{0, 4});
    CHECK(extra.bytes()[3] == std::byte{'g'});
    const std::size_t mapped = mappings();
    REQUIRE(rig.ask(Request::RemMemReg, message) == kAck);
    CHECK(mappings() == mapped - 1);
    rig.submit(rig.ring.link(0, {rig.readable("ping"), in}));
    CHECK(rig.ring.used(2) == UsedElement{0, 0});
}

TEST_CASE("a ring rests while its own memory is away and goes on when it is back") {
    Rig rig;
    rig.start();
    echo_once(rig);
    const auto message = vhost::to_bytes(vhost::MemRegion{0, rig.ram.region()});

    REQUIRE(rig.ask(Request::RemMemReg, message) == kAck);
    rig.submit(rig.ring.link(0, {rig.readable("rest"), rig.writable(4)}));
    CHECK(rig.ring.used_index() == 1);
    REQUIRE(rig.ask(Request::AddMemReg, message, {rig.ram.fd()}) == kAck);
    CHECK(rig.ring.used_index() == 2);
    CHECK(rig.echo.resets == 0);
    CHECK(rig.notes.faults.empty());
}

TEST_CASE("a thousand connections leave no descriptor and no mapping behind") {
    const auto mappings = [] {
        std::ifstream maps("/proc/self/maps");
        std::size_t count = 0;
        for (std::string line; std::getline(maps, line);)
            count += line.contains("memfd:guest");
        return count;
    };
    const std::size_t fds = open_fds();
    const std::size_t maps = mappings();

    for (int i = 0; i < 1000; ++i) {
        Rig rig;
        rig.start();
        echo_once(rig);
        // Some leave in the middle of it, some after a stop.
        if (i % 2 == 0) rig.stop_ring();
        rig.front_end.close();
        const auto progress = rig.settle();
        REQUIRE(progress.has_value());
        REQUIRE(*progress == vhost::Progress::Closed);
    }
    CHECK(open_fds() == fds);
    CHECK(mappings() == maps);
}

TEST_CASE("a readable stop descriptor ends the connection at once") {
    Rig rig;
    rig.start();
    const auto stop = make_eventfd();
    CHECK(rig.connection->step(stop.value(), 0) == vhost::Progress::Open);
    kick(stop);
    CHECK(rig.connection->run(stop.value()) == vhost::Progress::Stopped);
}

TEST_SUITE_END();
