// SPDX-License-Identifier: MIT
#include "vhost/memory.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "vhost/rig.hpp"

using namespace vhost_test;
using vhost::Bytes;
using vhost::Memory;
using vhost::RegionDesc;
using vhost::Request;

TEST_SUITE_BEGIN("vhost/memory");

namespace {

constexpr std::uint64_t kPage = 4096;

Bytes region_message(const RegionDesc& region) {
    return vhost::to_bytes(vhost::MemRegion{0, region});
}

Bytes table(std::initializer_list<RegionDesc> regions) {
    Bytes bytes =
        vhost::to_bytes(vhost::MemTableHeader{static_cast<std::uint32_t>(regions.size()), 0});
    for (const RegionDesc& region : regions) {
        const Bytes one = vhost::to_bytes(region);
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

}  // namespace

TEST_CASE("regions that are empty, unaligned, wrapping, overlapping or past the file are refused") {
    Rig rig;
    rig.negotiate();
    rig.share_memory();
    GuestRam other(0x800000, 0x7e0000000000, 4 * kPage);
    RegionDesc region = other.region();

    SUBCASE("empty") {
        region.size = 0;
    }
    SUBCASE("guest address off a page") {
        region.guest += 512;
    }
    SUBCASE("user address off a page") {
        region.user += 512;
    }
    SUBCASE("size off a page") {
        region.size -= 512;
    }
    SUBCASE("offset off a page") {
        region.offset = 512, region.size = kPage;
    }
    SUBCASE("guest range wraps") {
        region.guest = ~std::uint64_t{0} - 4 * kPage + 1;
    }
    SUBCASE("user range wraps") {
        region.user = ~std::uint64_t{0} - kPage + 1;
    }
    SUBCASE("offset wraps") {
        region.offset = ~std::uint64_t{0} - kPage + 1;
    }
    SUBCASE("one page past the end of the file") {
        region.size += kPage;
    }
    SUBCASE("offset past the end of the file") {
        region.offset = kPage;
    }
    SUBCASE("guest range overlaps by a page") {
        region.guest = rig.ram.guest() + rig.ram.bytes().size() - kPage;
    }
    SUBCASE("guest range covers another") {
        region.guest = rig.ram.guest() - kPage;
    }
    SUBCASE("user range overlaps by a page") {
        region.user = rig.ram.user() - 3 * kPage;
    }
    CHECK(rig.ask(Request::AddMemReg, region_message(region), {other.fd()}) != kAck);

    CHECK(rig.ask(Request::AddMemReg, region_message(other.region()), {other.fd()}) == kAck);
}

TEST_CASE("memory that cannot be mapped is refused with the reason") {
    Rig rig;
    rig.negotiate();
    const RegionDesc region{0, kPage, kPage, 0};

    SUBCASE("an eventfd has no size") {
        CHECK(rig.ask(Request::AddMemReg, region_message(region), {rig.kick_fd.value()}) != kAck);
    }
    SUBCASE("a file that cannot be written") {
        const base::UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        CHECK(rig.ask(Request::AddMemReg, region_message(region), {file.value()}) != kAck);
        CHECK(rig.notes.refusals.back().contains("Permission denied"));
    }
}

TEST_CASE("a translated range is split at the edge between regions and stops at a hole") {
    GuestRam low(0x10000, 0x100000, 2 * kPage);
    GuestRam high(0x12000, 0x900000, kPage);
    auto memory = Memory::none()->with(high.region(), high.file());
    REQUIRE(memory.has_value());
    memory = (*memory)->with(low.region(), low.file());
    REQUIRE(memory.has_value());
    std::vector<std::span<std::byte>> pieces;

    CHECK((*memory)->translate(0x11ff0, 0x20, pieces));
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0].size() == 0x10);
    CHECK(pieces[1].size() == 0x10);
    low.bytes()[0x1ff0] = std::byte{1};
    high.bytes()[0] = std::byte{2};
    CHECK(pieces[0][0] == std::byte{1});
    CHECK(pieces[1][0] == std::byte{2});

    pieces.clear();
    CHECK((*memory)->translate(0x10000, 3 * kPage, pieces));
    CHECK_FALSE((*memory)->translate(0x10000, 3 * kPage + 1, pieces));
    CHECK_FALSE((*memory)->translate(0xffff, 2, pieces));
    CHECK_FALSE((*memory)->translate(0x13000, 1, pieces));
    CHECK_FALSE((*memory)->translate(~std::uint64_t{0}, 2, pieces));

    CHECK((*memory)->at_user(0x100000, 2 * kPage) != nullptr);
    CHECK((*memory)->at_user(0x100000, 2 * kPage + 1) == nullptr);
    CHECK((*memory)->at_user(0x102000, 1) == nullptr);
    CHECK((*memory)->at_user(0x10000, 1) == nullptr);
}

TEST_CASE("a region begins at its offset in the file") {
    GuestRam ram(0, 0x100000, 4 * kPage);
    ram.bytes()[2 * kPage + 5] = std::byte{7};
    const auto memory = Memory::none()->with({0x5000, 2 * kPage, 0x200000, 2 * kPage}, ram.file());
    REQUIRE(memory.has_value());

    std::vector<std::span<std::byte>> pieces;
    REQUIRE((*memory)->translate(0x5005, 1, pieces));
    CHECK(pieces[0][0] == std::byte{7});
}

TEST_CASE("a removed region stays mapped for who still has the old set") {
    GuestRam ram(0x10000, 0x100000, kPage);
    ram.bytes()[0] = std::byte{9};
    auto old = Memory::none()->with(ram.region(), ram.file());
    REQUIRE(old.has_value());

    const auto now = (*old)->without(ram.region());
    REQUIRE(now.has_value());
    std::vector<std::span<std::byte>> pieces;
    CHECK_FALSE((*now)->translate(0x10000, 1, pieces));
    REQUIRE((*old)->translate(0x10000, 1, pieces));
    CHECK(pieces[0][0] == std::byte{9});
}

TEST_CASE("no more regions than the slots that were promised") {
    GuestRam ram(0, 0, kPage);
    auto memory = Memory::none();
    for (std::uint64_t i = 0; i < vhost::kMaxRegions; ++i) {
        auto more = memory->with({i * kPage, kPage, i * kPage, 0}, ram.file());
        REQUIRE(more.has_value());
        memory = *more;
    }
    CHECK(memory->regions() == 512);
    CHECK_FALSE(memory->with({512 * kPage, kPage, 512 * kPage, 0}, ram.file()).has_value());
}

TEST_CASE("only the very region can be removed, with or without a descriptor") {
    Rig rig;
    rig.negotiate();
    rig.share_memory();
    const std::size_t before = open_fds();
    RegionDesc wrong = rig.ram.region();

    SUBCASE("guest address") {
        wrong.guest += kPage;
    }
    SUBCASE("user address") {
        wrong.user += kPage;
    }
    SUBCASE("size") {
        wrong.size -= kPage;
    }
    CHECK(rig.ask(Request::RemMemReg, region_message(wrong)) != kAck);

    RegionDesc right = rig.ram.region();
    right.offset = 0xdead000;  // is to be ignored
    CHECK(rig.ask(Request::RemMemReg, region_message(right), {rig.ram.fd()}) == kAck);
    CHECK(rig.ask(Request::RemMemReg, region_message(right)) != kAck);
    CHECK(open_fds() == before);
}

TEST_CASE("SET_MEM_TABLE replaces everything, or nothing when one region is bad") {
    Rig rig;
    rig.negotiate();
    GuestRam a(0x10000, 0x100000, kPage);
    GuestRam b(0x20000, 0x200000, kPage);
    RegionDesc bad = b.region();
    bad.size *= 2;

    CHECK(rig.ask(Request::SetMemTable, table({a.region(), b.region()}), {a.fd(), b.fd()}) == kAck);
    CHECK(rig.ask(Request::SetMemTable, table({rig.ram.region(), bad}), {rig.ram.fd(), b.fd()}) !=
          kAck);
    CHECK(rig.ask(Request::RemMemReg, region_message(a.region())) == kAck);
    CHECK(rig.ask(Request::RemMemReg, region_message(b.region())) == kAck);

    CHECK(rig.ask(Request::SetMemTable, table({rig.ram.region()}), {rig.ram.fd()}) == kAck);
    rig.start_ring();
    const auto in = rig.writable(2);
    rig.submit(rig.ring.link(0, {rig.readable("ok"), in}));
    CHECK(rig.text_at(in, 2) == "ok");
}

TEST_CASE("SET_MEM_TABLE whose count, size and descriptors disagree is refused") {
    Rig rig;
    rig.negotiate();
    const Bytes good = table({rig.ram.region()});

    CHECK(rig.ask(Request::SetMemTable, good) != kAck);
    CHECK(rig.ask(Request::SetMemTable, good, {rig.ram.fd(), rig.ram.fd()}) != kAck);
    Bytes count = good;
    count[0] = std::byte{2};
    CHECK(rig.ask(Request::SetMemTable, count, {rig.ram.fd(), rig.ram.fd()}) != kAck);
    count[3] = std::byte{0xff};
    CHECK(rig.ask(Request::SetMemTable, count, {rig.ram.fd()}) != kAck);
    CHECK(rig.ask(Request::SetMemTable, good, {rig.ram.fd()}) == kAck);
}

TEST_CASE("memory whose file is shortened reads as zeros, is lost, and the rest is not") {
    GuestRam ram(0x10000, 0x100000, 2 * kPage);
    GuestRam other(0x20000, 0x200000, kPage);
    const auto one = Memory::none()->with(ram.region(), ram.file());
    REQUIRE(one.has_value());
    const auto both = (*one)->with(other.region(), other.file());
    REQUIRE(both.has_value());
    const auto memory = *both;
    std::byte* const bytes = memory->at_user(ram.user(), 2 * kPage);
    std::ranges::fill(std::span(bytes, 2 * kPage), std::byte{7});

    REQUIRE(::ftruncate(ram.fd(), kPage) == 0);
    CHECK(bytes[kPage - 1] == std::byte{7});
    CHECK_FALSE(memory->lost());
    CHECK(bytes[kPage] == std::byte{0});
    CHECK(memory->lost());
    bytes[2 * kPage - 1] = std::byte{8};
    CHECK(bytes[2 * kPage - 1] == std::byte{8});

    CHECK((*memory->without(ram.region()))->lost() == false);
    CHECK((*memory->without(other.region()))->lost());
}

TEST_CASE("a front end that shortens its memory loses its device, whatever is touched first") {
    Rig rig;
    GuestRam extra(0x900000, 0x20000, kPage);
    rig.start();
    REQUIRE(rig.ask(Request::AddMemReg, region_message(extra.region()), {extra.fd()}) == kAck);
    vhost::Descriptor out = rig.readable("ping");
    vhost::Descriptor in = rig.writable(4);
    const GuestRam* shortened = &extra;

    SUBCASE("the ring") {
        shortened = &rig.ram;
    }
    SUBCASE("what a command reads") {
        out.address = extra.guest();
    }
    SUBCASE("where its answer goes") {
        in.address = extra.guest();
    }
    rig.ring.publish(rig.ring.link(0, {out, in}));
    kick(rig.kick_fd);
    REQUIRE(::ftruncate(shortened->fd(), 0) == 0);
    const auto progress = rig.settle();
    REQUIRE_FALSE(progress.has_value());
    CHECK(progress.error() == "guest memory was taken away under it");
}

TEST_SUITE_END();
