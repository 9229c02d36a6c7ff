// SPDX-License-Identifier: MIT
//
// Four runs in flight: order, attribution, places.
#include "lane/rig.hpp"

namespace dispatch::test {
namespace {

// Runs are waited for in order, and those before it have ended.
void check_in_order(const std::vector<Operands>& all, const std::vector<Ticket>& tickets) {
    for (std::size_t i = 0; i < tickets.size(); ++i) {
        REQUIRE(complete(tickets[i]));
        for (std::size_t before = 0; before < i; ++before)
            REQUIRE(tickets[before].ended());
        REQUIRE(all[i].out->host == result_of(all[i].in->host));
    }
}

void fill(const std::vector<Operands>& all, std::uint64_t round) {
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].in->host = 100 * round + i;
}

TEST_CASE("pipelined submissions complete in order with their own payloads") {
    for (const bool timeline : {false, true}) {
        Rig rig({.timeline = timeline, .late_reads = 3});
        const std::vector<Operands> all(4);
        for (std::uint64_t round = 1; round <= 8; ++round) {
            rig.device->hold();
            fill(all, round);
            const auto tickets = rig.submit_all(all);
            until([&] { return rig.lane->census().launched == 4 || !pending(tickets[0]); });
            REQUIRE(std::ranges::all_of(tickets, pending));
            rig.device->run_freely();
            check_in_order(all, tickets);
        }
        CHECK(rig.device->most_in_flight() == 4);
        CHECK(rig.lane->census().places_taken == 0);
    }
}

TEST_CASE("a position that shows late never retires a job, round after round") {
    Rig rig({.timeline = true, .late_reads = 1});
    const std::vector<Operands> all(4);
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
        fill(all, round);
        check_in_order(all, rig.submit_all(all));
    }
}

TEST_CASE("the watchdog ends the search for a position that never shows") {
    Rig rig({.timeline = true, .late_reads = ~0U});
    const Operands operands;
    const Ticket ticket = rig.submit(operands);
    until([&] { return rig.device->starts() == 1; });
    CHECK(pending(ticket));
    CHECK(rig.lane->census().launched == 0);
    rig.pass_watchdog();
    CHECK(lost(ticket));
}

TEST_CASE("ring capacity bounds outstanding events and reclaim restores it") {
    Rig rig;
    const std::vector<Operands> all(5);
    for (int round = 0; round < kRounds; ++round) {
        auto tickets = rig.submit_all({all.begin(), all.end() - 1});
        REQUIRE(rig.busy(all[4]));
        for (const Ticket& ticket : tickets)
            REQUIRE(complete(ticket));
        REQUIRE(rig.busy(all[4]));
        REQUIRE_FALSE(all[4].in_use());

        tickets.pop_back();
        const Ticket fifth = rig.submit(all[4]);
        REQUIRE(rig.busy(all[3]));
        REQUIRE(complete(fifth));
    }
}

TEST_CASE("capacity is given back before the end can be seen") {
    Rig rig;
    const std::vector<Operands> all(4);
    auto tickets = rig.submit_all(all);
    for (int round = 0; round < kRounds; ++round) {
        until([&] { return !pending(tickets.front()); });
        const Operands& same = all[static_cast<std::size_t>(round) % 4];
        REQUIRE_FALSE(same.in_use());
        tickets.erase(tickets.begin());
        tickets.push_back(rig.submit(same));
    }
}

TEST_CASE("a ticket that is dropped early gives its place back once, when its run ends") {
    Rig rig;
    rig.device->hold();
    const std::vector<Operands> all(6);
    auto tickets = rig.submit_all({all.begin(), all.begin() + 4});
    tickets.erase(tickets.begin());
    CHECK(rig.lane->census().places_taken == 4);
    CHECK(rig.busy(all[4]));
    rig.device->end_one();
    auto fifth = rig.lane->submit_within(rig.work(all[4]), kLong);
    REQUIRE(fifth.has_value());
    CHECK(rig.busy(all[5]));
    rig.device->run_freely();
    CHECK(complete(*fifth));
}

TEST_CASE("a buffer admits one outstanding submission, a program any number") {
    Rig rig;
    rig.device->hold();
    const Operands first;
    const Operands second;
    const Ticket ticket = rig.submit(first);
    CHECK(rig.busy(first));
    CHECK(rig.busy({.in = second.in, .out = first.out}));
    CHECK_FALSE(second.in_use());
    const Ticket other = rig.submit(second);
    rig.device->run_freely();
    CHECK(complete(other));
}

TEST_CASE("an allocation never queues behind a running job") {
    Rig rig;
    rig.device->hold();
    const std::vector<Operands> all(2);
    const Ticket running = rig.submit(all[0]);
    until([&] { return rig.lane->census().launched == 1; });

    auto stream = rig.lane->hold_stream();
    REQUIRE(stream.has_value());
    CHECK(pending(running));
    const Ticket next = rig.submit(all[1]);
    CHECK(rig.device->starts() == 1);
    stream->reset();
    until([&] { return rig.device->starts() == 2; });
    CHECK(pending(running));
    rig.device->run_freely();
    CHECK(complete(next));
}

TEST_CASE("whoever holds the stream has it alone") {
    Rig rig;
    const std::vector<Operands> all(4);
    std::uint64_t held = 0;
    std::uint64_t disturbed = 0;
    std::jthread allocator([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto stream = rig.lane->hold_stream();
            const std::uint64_t mine = ++rig.device->stream_uses;
            std::this_thread::yield();
            disturbed += rig.device->stream_uses != mine ? 1 : 0;
            ++held;
        }
    });
    for (int round = 0; round < kRounds / 4; ++round)
        check_in_order(all, rig.submit_all(all));
    allocator = {};
    CHECK(disturbed == 0);
    CHECK(rig.device->stream_uses == held + kRounds);
}

}  // namespace
}  // namespace dispatch::test
