// SPDX-License-Identifier: MIT
//
// Guest memory that comes, goes, changes its shape and is taken away, under a running device.
#include <array>

#include <doctest/doctest.h>
#include <unistd.h>

#include "daemon/vm.hpp"

using namespace daemon_test;
using driver::Block;
using vhost::Request;
using vhost_test::GuestRam;
using wire::Status;

TEST_SUITE_BEGIN("daemon/guest-memory");

namespace {

constexpr std::size_t kPage = 4096;

// A running device, and RAM that is plugged in behind the first.
struct Rig {
    explicit Rig(Daemon& daemon) : vm(daemon.connect()), pid(daemon.acceld.pid()) { vm.start(); }

    [[nodiscard]] bool plug() {
        return vm.client.done(Request::AddMemReg, region(extra.region()), {extra.fd()});
    }
    [[nodiscard]] bool unplug() {
        return vm.client.done(Request::RemMemReg, region(extra.region()));
    }
    // The session and the worker each have all of them.
    [[nodiscard]] std::size_t mappings() const {
        const std::size_t both = usage(pid).guest_mappings;
        REQUIRE(both % 2 == 0);
        return both / 2;
    }

    // Bytes at an offset in `extra`.
    [[nodiscard]] Block in_extra(std::size_t offset, std::size_t size) const {
        return {extra.guest() + offset, extra.bytes().subspan(offset, size)};
    }
    Block request(Block where) {
        const auto frame = driver::get_device_info(++id).bytes();
        std::ranges::copy(frame, where.bytes.begin());
        return {where.guest, where.bytes.first(frame.size())};
    }
    // The answer to a command with its request and its answer there.
    driver::Answer call(const Block& readable, const Block& writable) {
        REQUIRE(vm.publish(std::array{readable}, {writable}).has_value());
        vm.kick();
        const auto done = vm.collect();
        REQUIRE(done.has_value());
        return done->answer;
    }
    [[nodiscard]] bool works() {
        const auto answer = vm.call(driver::get_device_info(++id));
        return answer.status() == Status::Ok && answer.request_id() == id;
    }

    Vm vm;
    pid_t pid;
    GuestRam extra{vm.memory.guest() + vm.memory.bytes().size(), 0x1000'0000, 16 * kPage};
    std::uint64_t id = 0;
};

}  // namespace

TEST_CASE("ADD_MEM_REG in mid-run: commands and answers may lie in the new RAM") {
    Daemon daemon;
    Rig rig(daemon);
    const Block in = rig.request(rig.in_extra(0, 16));
    const Block out = rig.in_extra(kPage, 256);

    CHECK(rig.call(in, out).used == 0);
    REQUIRE(rig.plug());
    const auto answer = rig.call(in, out);
    CHECK(answer.status() == Status::Ok);
    CHECK(answer.request_id() == rig.id);
    CHECK(answer.rest_untouched());
    CHECK(rig.works());
}

TEST_CASE("a descriptor may cross from old RAM into new") {
    Daemon daemon;
    Rig rig(daemon);
    REQUIRE(rig.plug());
    const auto old = rig.vm.memory.bytes();
    const Block whole{rig.extra.guest() - 5, old.last(5)};
    const auto frame = driver::get_device_info(++rig.id).bytes();
    std::ranges::copy(std::span(frame).first(5), whole.bytes.begin());
    std::ranges::copy(std::span(frame).subspan(5), rig.extra.bytes().begin());

    // Block is only a place and a size to who publishes it.
    const std::array readable{Block{whole.guest, {whole.bytes.data(), frame.size()}}};
    REQUIRE(rig.vm.publish(readable, {rig.in_extra(kPage, 256)}).has_value());
    rig.vm.kick();
    const auto done = rig.vm.collect();
    REQUIRE(done.has_value());
    CHECK(done->answer.request_id() == rig.id);
    CHECK(done->answer.status() == Status::Ok);
}

TEST_CASE("REM_MEM_REG in mid-run: the RAM is unmapped, and what still points there unusable") {
    Daemon daemon;
    Rig rig(daemon);
    const Block in = rig.request(rig.in_extra(0, 16));
    const Block out = rig.in_extra(kPage, 256);
    REQUIRE(rig.plug());
    REQUIRE(rig.call(in, out).status() == Status::Ok);
    CHECK(rig.mappings() == 2);

    REQUIRE(rig.unplug());
    CHECK(rig.mappings() == 1);
    const auto answer = rig.call(in, out);
    CHECK(answer.used == 0);
    CHECK(answer.rest_untouched());
    CHECK(rig.works());
}

TEST_CASE("a region that comes back in mid-run as another file is read from that file") {
    Daemon daemon;
    Rig rig(daemon);
    REQUIRE(rig.plug());
    const GuestRam other(rig.extra.guest(), rig.extra.user(), rig.extra.bytes().size());
    const Block in{other.guest(), other.bytes().first(16)};
    const Block out{other.guest() + kPage, other.bytes().subspan(kPage, 256)};
    rig.request(in);

    REQUIRE(rig.unplug());
    REQUIRE(rig.vm.client.done(Request::AddMemReg, region(other.region()), {other.fd()}));
    const auto answer = rig.call(in, out);
    CHECK(answer.status() == Status::Ok);
    CHECK(answer.request_id() == rig.id);
}

TEST_CASE("SET_MEM_TABLE in mid-run: the ring goes on in the new mapping of the same memory") {
    Daemon daemon;
    Rig rig(daemon);
    REQUIRE(rig.works());
    for (int i = 0; i < 3; ++i) {
        REQUIRE(rig.vm.client.done(Request::SetMemTable, table({rig.vm.memory.region()}),
                                   {rig.vm.memory.file().value()}));
        CHECK(rig.works());
        CHECK(rig.mappings() == 1);
    }
}

TEST_CASE("SET_MEM_TABLE without the ring's memory stops the ring until it is there again") {
    Daemon daemon;
    Rig rig(daemon);
    REQUIRE(rig.works());
    REQUIRE(
        rig.vm.client.done(Request::SetMemTable, table({rig.extra.region()}), {rig.extra.fd()}));
    const auto frame = driver::get_device_info(++rig.id).bytes();
    REQUIRE(rig.vm.publish(frame, {{frame.size()}, {256}}).has_value());

    SUBCASE("then it goes on with what waits there, without a kick") {
        REQUIRE(rig.vm.client.done(Request::AddMemReg, region(rig.vm.memory.region()),
                                   {rig.vm.memory.file().value()}));
        const auto done = rig.vm.collect();
        REQUIRE(done.has_value());
        CHECK(done->answer.request_id() == rig.id);
    }
    SUBCASE("a stop says that nothing was taken meanwhile") {
        rig.vm.kick();
        CHECK(rig.vm.stop_ring() == 1);
        CHECK_FALSE(rig.vm.pop().has_value());
    }
}

TEST_CASE("SET_MEM_TABLE with a region cut short: nothing behind its new end is touched") {
    Daemon daemon;
    Rig rig(daemon);
    const Block in = rig.request(rig.in_extra(0, 16));
    const Block out = rig.in_extra(8 * kPage, 256);
    REQUIRE(rig.plug());
    REQUIRE(rig.call(in, out).status() == Status::Ok);

    vhost::RegionDesc half = rig.extra.region();
    half.size /= 2;
    REQUIRE(rig.vm.client.done(Request::SetMemTable, table({rig.vm.memory.region(), half}),
                               {rig.vm.memory.file().value(), rig.extra.fd()}));
    const auto answer = rig.call(in, out);
    CHECK(answer.used == 0);
    CHECK(answer.rest_untouched());
    CHECK(rig.call(in, rig.in_extra(8 * kPage - 256, 256)).status() == Status::Ok);
}

TEST_CASE("a memory message that is refused in mid-run leaves all as it was") {
    Daemon daemon;
    Rig rig(daemon);
    vhost::RegionDesc bad = rig.extra.region();

    SUBCASE("it overlaps") {
        bad.guest -= kPage;
    }
    SUBCASE("it is longer than its file") {
        bad.size += kPage;
    }
    SUBCASE("it wraps around") {
        bad.guest = ~std::uint64_t{0} - kPage + 1;
    }
    SUBCASE("it is off the page") {
        bad.user += 8;
    }
    const Usage before = daemon.settled_usage();
    CHECK_FALSE(rig.vm.client.done(Request::AddMemReg, region(bad), {rig.extra.fd()}));
    CHECK_FALSE(rig.vm.client.done(Request::SetMemTable, table({rig.vm.memory.region(), bad}),
                                   {rig.vm.memory.file().value(), rig.extra.fd()}));
    CHECK_FALSE(rig.vm.client.done(Request::RemMemReg, region(bad)));
    CHECK(daemon.settled_usage().fds == before.fds);
    CHECK(rig.works());
}

TEST_CASE("as many regions as promised are mapped, with a descriptor each for another worker") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    {
        Rig rig(daemon);
        const Usage running = daemon.settled_usage();
        vhost::RegionDesc page{rig.extra.guest(), kPage, rig.extra.user(), 0};
        for (int i = 1; i < 512; ++i) {
            REQUIRE(rig.vm.client.done(Request::AddMemReg, region(page), {rig.extra.fd()}));
            page.guest += kPage;
            page.user += 2 * kPage;
        }
        CHECK_FALSE(rig.vm.client.done(Request::AddMemReg, region(page), {rig.extra.fd()}));
        CHECK(daemon.settled_usage().fds == running.fds + 511);
        CHECK(rig.mappings() >= 512);
        CHECK(rig.works());
    }
    CHECK(daemon.serves());
    CHECK(daemon.returns_to(before));
}

TEST_CASE("who takes shared memory away loses the device, and the next front end is served") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    {
        Rig rig(daemon);
        REQUIRE(rig.plug());
        Block in = rig.request(rig.vm.memory.allocate(16));
        Block out = rig.vm.memory.allocate(256);
        int shortened = rig.extra.fd();

        SUBCASE("the ring") {
            shortened = rig.vm.memory.file().value();
        }
        SUBCASE("what a command reads") {
            in = rig.request(rig.in_extra(0, 16));
        }
        SUBCASE("where its answer goes") {
            out = rig.in_extra(0, 256);
        }
        REQUIRE(rig.vm.ring.publish(std::array{in}, std::array{out}).has_value());
        REQUIRE(::ftruncate(shortened, 0) == 0);
        rig.vm.kick();
        CHECK(rig.vm.client.dropped());
    }
    CHECK(daemon.serves());
    CHECK(daemon.returns_to(before));
}

TEST_CASE("memory that is taken away under a long transfer ends that device only") {
    Daemon daemon;
    {
        Rig rig(daemon);
        const GuestRam large(rig.extra.guest(), rig.extra.user(), 1 << 20);
        REQUIRE(rig.vm.client.done(Request::AddMemReg, region(large.region()), {large.fd()}));
        const auto context = rig.vm.call(driver::create_context(++rig.id)).id();
        const auto buffer = rig.vm.call(driver::allocate_buffer(++rig.id, {context, 1 << 20})).id();
        const std::size_t bytes = (1 << 20) - kPage;
        const auto write = driver::write_buffer(++rig.id, buffer, 0, large.bytes().first(bytes));
        const auto head = write.head();
        const Block first = rig.vm.memory.allocate(head.size());
        std::ranges::copy(head, first.bytes.begin());
        const std::array readable{first, Block{large.guest(), large.bytes().first(bytes)}};
        const std::array writable{rig.vm.memory.allocate(16)};

        REQUIRE(::ftruncate(large.fd(), kPage) == 0);
        REQUIRE(rig.vm.ring.publish(readable, writable).has_value());
        rig.vm.kick();
        CHECK(rig.vm.client.dropped());
    }
    CHECK(daemon.serves());
}

TEST_CASE("a ring whose memory was taken away before it starts ends that device only") {
    Daemon daemon;
    {
        Vm vm(daemon.connect());
        vm.negotiate();
        vm.share_memory();
        vm.client.send(Request::SetVringNum, state(0, 32));
        vm.client.send(Request::SetVringAddr, vm.ring_addresses());
        REQUIRE(vm.client.done(Request::SetVringEnable, state(0, 1)));
        REQUIRE(::ftruncate(vm.memory.file().value(), 0) == 0);
        vm.client.send(Request::SetVringKick, u64(0), {vm.kick_fd.value()});
        CHECK(vm.client.dropped());
    }
    CHECK(daemon.serves());
}

TEST_SUITE_END();
