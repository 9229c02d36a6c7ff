// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "vhost/rig.hpp"

using namespace vhost_test;
using vhost::ChainDefect;
using vhost::Descriptor;
using vhost::Request;
using vhost::RingFault;

TEST_SUITE_BEGIN("vhost/ring");

namespace {

constexpr std::uint16_t kNext = vhost::kDescriptorNext;
constexpr std::uint16_t kWrite = vhost::kDescriptorWrite;

void publish_good(Rig& rig, std::uint16_t first, std::string_view text) {
    rig.ring.publish(rig.ring.link(first, {rig.readable(text), rig.writable(text.size())}));
}

// A ring of four with nothing around it.
struct BareRing {
    GuestRam ram{0x1000, 0x1000, 1 << 16};
    DriverRing driver{ram, 4};
    std::unique_ptr<vhost::RingState> state = std::make_unique<vhost::RingState>();
    vhost::Ring ring{*locate(), 0, *state};

    [[nodiscard]] std::optional<vhost::RingView> locate() const {
        const auto a = driver.addresses();
        return vhost::RingView::locate(
            vhost::Memory::none()->with(ram.region(), ram.file()).value(), driver.size(),
            {a.descriptors, a.available, a.used});
    }
};

// One chain with this defect is completed with 0, untouched, and the next one works.
void check_defect(Rig& rig, std::uint16_t head, ChainDefect defect) {
    const std::uint16_t before = rig.ring.used_index();
    rig.submit(head);

    REQUIRE(rig.ring.used_index() == static_cast<std::uint16_t>(before + 1));
    CHECK(rig.ring.used(before) == UsedElement{head, 0});
    CHECK(rig.echo.requests.empty());
    REQUIRE(rig.notes.defects.size() == 1);
    CHECK(rig.notes.defects[0] == defect);
    CHECK(rig.notes.faults.empty());

    publish_good(rig, 0, "next");
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.ring.used(static_cast<std::uint16_t>(before + 1)) == UsedElement{0, 4});
    CHECK(rig.echo.requests.size() == 1);
}

}  // namespace

TEST_CASE("a chain may be split over many descriptors in each direction") {
    Rig rig({.ring_size = 32});
    rig.start();
    const auto in1 = rig.writable(3);
    const auto gap = rig.writable(5);
    const auto in2 = rig.writable(1);
    const auto in3 = rig.writable(20);

    rig.submit(rig.ring.link(
        4, {rig.readable("a"), rig.readable("bcd"), rig.readable("efghij"), in1, in2, in3}));

    CHECK(rig.ring.used(0) == UsedElement{4, 10});
    CHECK(rig.text_at(in1, 3) == "abc");
    CHECK(rig.text_at(gap, 5) == ".....");
    CHECK(rig.text_at(in2, 1) == "d");
    CHECK(rig.text_at(in3, 7) == "efghij.");
    CHECK(rig.echo.readable_pieces[0] == 3);
}

TEST_CASE("a descriptor that crosses from one region into the next is split") {
    Rig rig;
    GuestRam next(rig.ram.guest() + rig.ram.bytes().size(), 0x10000, 4096);
    rig.start();
    REQUIRE(rig.ask(Request::AddMemReg, vhost::to_bytes(vhost::MemRegion{0, next.region()}),
                    {next.fd()}) == kAck);
    const std::uint64_t edge = next.guest();
    rig.ram.bytes().back() = std::byte{'x'};
    next.bytes()[0] = std::byte{'y'};
    const auto in = rig.writable(2);

    rig.submit(rig.ring.link(0, {{.address = edge - 1, .length = 2}, in}));
    CHECK(rig.text_at(in, 2) == "xy");
    CHECK(rig.echo.readable_pieces[0] == 2);

    rig.submit(rig.ring.link(
        2, {rig.readable("pq"), {.address = edge - 1, .length = 2, .flags = kWrite}}));
    CHECK(rig.ram.bytes().back() == std::byte{'p'});
    CHECK(next.bytes()[0] == std::byte{'q'});
    CHECK(rig.ring.used(1) == UsedElement{2, 2});
}

TEST_CASE("a chain of exactly the allowed length is served, one more descriptor is refused") {
    Rig rig({.ring_size = 16, .max_chain_descriptors = 6});
    rig.start();
    const auto d = rig.readable("z");

    rig.submit(rig.ring.link(0, {d, d, d, d, d, rig.writable(9)}));
    CHECK(rig.ring.used(0) == UsedElement{0, 5});
    rig.echo.requests.clear();
    check_defect(rig, rig.ring.link(8, {d, d, d, d, d, d, rig.writable(9)}),
                 ChainDefect::TooManyDescriptors);
}

TEST_CASE("a chain as long as the ring is served") {
    Rig rig({.ring_size = 4});
    rig.start();
    const auto d = rig.readable("z");

    rig.submit(rig.ring.link(0, {d, d, d, rig.writable(9)}));
    CHECK(rig.ring.used(0) == UsedElement{0, 3});
}

TEST_CASE("every malformed chain is completed with used length 0 and the ring goes on") {
    Rig rig;
    rig.start();
    const auto out = rig.readable("out");
    const auto in = rig.writable(4);
    const auto with = [](Descriptor d, auto change) {
        change(d);
        return d;
    };
    auto& ring = rig.ring;

    SUBCASE("next index outside the ring") {
        ring.set(2, with(out, [](auto& d) { d.flags |= kNext, d.next = 8; }));
        check_defect(rig, 2, ChainDefect::IndexOutOfRange);
    }
    SUBCASE("loop to itself") {
        ring.set(2, with(out, [](auto& d) { d.flags |= kNext, d.next = 2; }));
        check_defect(rig, 2, ChainDefect::Loop);
    }
    SUBCASE("loop over several descriptors") {
        ring.link(2, {out, out, in});
        ring.set(4, with(in, [](auto& d) { d.flags |= kNext, d.next = 4; }));
        check_defect(rig, 2, ChainDefect::Loop);
    }
    SUBCASE("unknown flag") {
        check_defect(rig, ring.link(2, {with(out, [](auto& d) { d.flags |= 8; }), in}),
                     ChainDefect::UnknownFlag);
    }
    SUBCASE("packed-ring flag") {
        check_defect(rig, ring.link(2, {out, with(in, [](auto& d) { d.flags |= 0x8000; })}),
                     ChainDefect::UnknownFlag);
    }
    SUBCASE("indirect") {
        check_defect(rig, ring.link(2, {with(out, [](auto& d) { d.flags = 4, d.length = 32; })}),
                     ChainDefect::Indirect);
    }
    SUBCASE("address below memory") {
        check_defect(rig, ring.link(2, {with(out, [](auto& d) { d.address = 0; }), in}),
                     ChainDefect::Unmapped);
    }
    SUBCASE("last byte past memory") {
        const auto past = with(in, [&](auto& d) { d.address = rig.ram.guest() + (1 << 20) - 3; });
        check_defect(rig, ring.link(2, {out, past}), ChainDefect::Unmapped);
    }
    SUBCASE("address that wraps around") {
        check_defect(rig,
                     ring.link(2, {with(out, [](auto& d) { d.address = ~std::uint64_t{1}; }), in}),
                     ChainDefect::Unmapped);
    }
    SUBCASE("front end's address instead of the guest's") {
        check_defect(rig,
                     ring.link(2, {with(out, [&](auto& d) { d.address = rig.ram.user(); }), in}),
                     ChainDefect::Unmapped);
    }
    SUBCASE("four gigabytes long") {
        check_defect(rig, ring.link(2, {out, with(in, [](auto& d) { d.length = 0xffffffff; })}),
                     ChainDefect::Unmapped);
    }
    SUBCASE("single readable descriptor") {
        check_defect(rig, ring.link(2, {out}), ChainDefect::TooFewDescriptors);
    }
    SUBCASE("single writable descriptor") {
        check_defect(rig, ring.link(2, {in}), ChainDefect::TooFewDescriptors);
    }
    SUBCASE("nothing writable") {
        check_defect(rig, ring.link(2, {out, out}), ChainDefect::MissingDirection);
    }
    SUBCASE("nothing readable") {
        check_defect(rig, ring.link(2, {in, in}), ChainDefect::MissingDirection);
    }
    SUBCASE("zero-length readable") {
        check_defect(rig, ring.link(2, {out, with(out, [](auto& d) { d.length = 0; }), in}),
                     ChainDefect::ZeroLength);
    }
    SUBCASE("zero-length writable") {
        check_defect(rig, ring.link(2, {out, in, with(in, [](auto& d) { d.length = 0; })}),
                     ChainDefect::ZeroLength);
    }
    SUBCASE("readable after writable") {
        check_defect(rig, ring.link(2, {out, in, out}), ChainDefect::ReadableAfterWritable);
    }
    SUBCASE("writable first") {
        check_defect(rig, ring.link(2, {in, out}), ChainDefect::ReadableAfterWritable);
    }
    CHECK(rig.text_at(in, 4) == "....");
}

TEST_CASE("a state that another process has left in any way is taken over within the ring") {
    std::mt19937 random(1);  // NOLINT: the same every time
    for (int round = 0; round < 1000; ++round) {
        BareRing bare;
        auto* bytes = reinterpret_cast<unsigned char*>(bare.state.get());
        std::generate_n(bytes, sizeof(vhost::RingState), [&] {
            return static_cast<unsigned char>(random() % 4 == 0 ? random() : 0);
        });
        const auto heads = bare.ring.take_over();
        REQUIRE(heads.size() <= bare.driver.size());
        for (const std::uint16_t head : heads)
            REQUIRE(head < bare.driver.size());
        vhost::DescriptorChain chain;
        for (const std::uint16_t head : heads) {
            bare.ring.reload(chain, head, 4);
            REQUIRE(bare.ring.complete(chain, 0).has_value());
        }
        // Nothing was published: at most a ring full of what is not there, or a fault.
        int served = 0;
        for (auto more = bare.ring.pop(chain, 4); more && *more; more = bare.ring.pop(chain, 4))
            REQUIRE(++served <= bare.driver.size());
    }
}

TEST_CASE("what makes a whole ring untrustworthy stops it until the next start") {
    Rig rig;
    rig.start();
    RingFault fault{};

    SUBCASE("available index one past what fits") {
        rig.ring.set_available_index(9);
        fault = RingFault::AvailableIndex;
    }
    SUBCASE("available index behind") {
        rig.ring.set_available_index(0xffff);
        fault = RingFault::AvailableIndex;
    }
    SUBCASE("head outside the ring") {
        rig.ring.publish(8);
        fault = RingFault::HeadOutOfRange;
    }
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());
    REQUIRE(rig.notes.faults.size() == 1);
    CHECK(rig.notes.faults[0] == fault);
    CHECK(drain(rig.err_fd) == 1);
    CHECK(rig.ring.used_index() == 0);

    // Dead for now, whatever the guest does ...
    rig.ring.set_available_index(0);
    publish_good(rig, 0, "hi");
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.ring.used_index() == 0);
    CHECK(rig.notes.faults.size() == 1);

    // ... but the connection lives and a restart repairs it.
    CHECK(rig.stop_ring() == 0);
    rig.start_ring(0);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.ring.used_index() == 1);
}

TEST_CASE("a ring filled to the last entry is no fault") {
    Rig rig;
    rig.start();
    for (int i = 0; i < 8; ++i)
        publish_good(rig, 0, "x");
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());

    CHECK(rig.ring.used_index() == 8);
    CHECK(rig.notes.faults.empty());
}

TEST_CASE("a head that is published again while in flight is a fault") {
    BareRing bare;
    vhost::DescriptorChain first;
    vhost::DescriptorChain second;
    bare.driver.publish(1);
    bare.driver.publish(1);

    CHECK(bare.ring.pop(first, 256) == true);
    const auto again = bare.ring.pop(second, 256);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error() == RingFault::HeadInFlight);

    REQUIRE(bare.ring.complete(first, 0).has_value());
    CHECK(bare.ring.pop(second, 256) == true);
    CHECK(bare.ring.next_available() == 2);
}

TEST_CASE("chains may be completed in any order") {
    BareRing bare;
    vhost::DescriptorChain first;
    vhost::DescriptorChain second;
    bare.driver.publish(3);
    bare.driver.publish(1);

    REQUIRE(bare.ring.pop(first, 256) == true);
    REQUIRE(bare.ring.pop(second, 256) == true);
    REQUIRE(bare.ring.complete(second, 0).has_value());
    REQUIRE(bare.ring.complete(first, 0).has_value());
    CHECK(bare.driver.used(0) == UsedElement{1, 0});
    CHECK(bare.driver.used(1) == UsedElement{3, 0});
}

TEST_CASE("accepting kicks finds the chain that came in after the last look") {
    BareRing bare;
    vhost::DescriptorChain chain;
    bare.ring.refuse_kicks();
    CHECK(bare.ring.pop(chain, 256) == false);
    // The guest sees that it need not kick.
    bare.driver.publish(1);

    CHECK_FALSE(bare.ring.accept_kicks());
    CHECK(bare.ring.pop(chain, 256) == true);
    CHECK(bare.ring.accept_kicks());
}

TEST_CASE("a handler that claims more than it was given publishes nothing and stops the ring") {
    Rig rig;
    rig.start();
    rig.echo.excess = 1;

    rig.submit(rig.ring.link(0, {rig.readable("abc"), rig.writable(3)}));
    CHECK(rig.ring.used_index() == 0);
    REQUIRE(rig.notes.faults.size() == 1);
    CHECK(rig.notes.faults[0] == RingFault::UsedOverflow);
}

TEST_CASE("a kick descriptor that cannot be read stops the ring instead of the world") {
    Rig rig;
    rig.start();
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const base::UniqueFd reader(ends[0]);
    ::close(ends[1]);

    CHECK(rig.ask(Request::SetVringKick, u64(0), {reader.value()}) == kAck);
    REQUIRE(rig.settle().has_value());
    REQUIRE(rig.notes.faults.size() == 1);
    CHECK(rig.notes.faults[0] == RingFault::KickDescriptor);
}

TEST_CASE("indices wrap from 65535 to 0") {
    Rig rig;
    rig.negotiate();
    rig.share_memory();
    rig.ring.set_available_index(65533);
    rig.ring.set_used_index(65533);
    rig.start_ring(65533);

    for (int i = 0; i < 6; ++i) {
        publish_good(rig, static_cast<std::uint16_t>(i % 4), "wrap");
        kick(rig.kick_fd);
        REQUIRE(rig.settle().has_value());
        const auto n = static_cast<std::uint16_t>(65533 + i);
        CHECK(rig.ring.used_index() == static_cast<std::uint16_t>(n + 1));
        CHECK(rig.ring.used(n) == UsedElement{static_cast<std::uint32_t>(i % 4), 4});
    }
    CHECK(rig.stop_ring() == 3);
}

TEST_CASE("rings of every size from 2 to 1024 go round more than once") {
    for (std::uint16_t size = 2; size <= 1024; size = static_cast<std::uint16_t>(size * 2)) {
        CAPTURE(size);
        Rig rig({.ring_size = size});
        rig.start();
        const auto out = rig.readable("r");
        const auto in = rig.writable(1);
        std::uint16_t done = 0;
        for (int round = 0; round < 3; ++round) {
            for (std::uint16_t i = 0; i < size / 2; ++i, ++done) {
                rig.ring.publish(
                    rig.ring.link(static_cast<std::uint16_t>(size - 2 - 2 * i), {out, in}));
            }
            kick(rig.kick_fd);
            REQUIRE(rig.settle().has_value());
            REQUIRE(rig.ring.used_index() == done);
            CHECK(rig.ring.used(static_cast<std::uint16_t>(done - 1)) == UsedElement{0, 1});
        }
    }
}

TEST_CASE("the guest is interrupted unless it asked not to be, and loses no completion") {
    Rig rig;
    rig.start();
    drain(rig.call_fd);

    rig.ring.set_available_flags(vhost::kAvailableNoInterrupt);
    publish_good(rig, 0, "quiet");
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.ring.used_index() == 1);
    CHECK(drain(rig.call_fd) == 0);

    rig.ring.set_available_flags(0);
    publish_good(rig, 0, "loud");
    kick(rig.kick_fd);
    REQUIRE(rig.settle().has_value());
    CHECK(rig.ring.used_index() == 2);
    CHECK(drain(rig.call_fd) == 1);
    CHECK(rig.connection->statistics().interrupts == 1);
    CHECK(rig.connection->statistics().suppressed == 1);
}

TEST_CASE("without a call descriptor the guest polls") {
    Rig rig;
    rig.start();
    REQUIRE(rig.ask(Request::SetVringCall, u64(vhost::kNoFdFlag)) == kAck);

    rig.submit(rig.ring.link(0, {rig.readable("a"), rig.writable(1)}));
    CHECK(rig.ring.used_index() == 1);
    CHECK(drain(rig.call_fd) == 0);
}

TEST_CASE("kicks are refused while chains are taken and accepted when none is left") {
    Rig rig;
    rig.start();
    CHECK(rig.ring.used_flags() == 0);
    std::uint16_t meanwhile = 0;
    rig.echo.before_reply = [&] { meanwhile = rig.ring.used_flags(); };

    rig.submit(rig.ring.link(0, {rig.readable("a"), rig.writable(1)}));
    CHECK(meanwhile == vhost::kUsedNoNotify);
    CHECK(rig.ring.used_flags() == 0);
}

TEST_CASE("a chain published without a kick while another is served is served too") {
    Rig rig;
    rig.start();
    rig.echo.before_reply = [&] {
        if (rig.echo.requests.size() == 1) publish_good(rig, 2, "second");
    };

    rig.submit(rig.ring.link(0, {rig.readable("first"), rig.writable(5)}));
    CHECK(rig.ring.used_index() == 2);
    CHECK(rig.ring.used(1) == UsedElement{2, 6});
}

TEST_CASE("a guest that publishes without end cannot keep the front end from being heard") {
    Rig rig;
    rig.start();
    const auto out = rig.readable("r");
    const auto in = rig.writable(1);
    rig.echo.before_reply = [&] { rig.ring.publish(rig.ring.link(2, {out, in})); };
    rig.ring.publish(rig.ring.link(0, {out, in}));
    kick(rig.kick_fd);

    REQUIRE(rig.connection->step(-1, 0).has_value());
    CHECK(rig.ring.used_index() == 8);
    rig.front_end.send(Request::GetVringBase, state(0, 0));
    REQUIRE(rig.connection->step(-1, 0).has_value());
    CHECK(rig.front_end.receive().has_value());
    CHECK(rig.ring.used_index() == 8);
}

TEST_SUITE_END();
