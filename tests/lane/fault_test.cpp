// SPDX-License-Identifier: MIT
//
// Definite errors poison a lane, stalls wedge it.
#include "lane/rig.hpp"

namespace dispatch::test {
namespace {

constexpr Error kReset{0x46414B45, -5};  // the driver reset the context

TEST_CASE("a definite error fails its run and poisons the lane") {
    for (const Call call : {Call::Start, Call::Wait, Call::Sync}) {
        Rig rig;
        rig.device->hold();
        rig.faults->fail(call, kReset);
        const std::vector<Operands> all(2);
        std::optional<Ticket> ticket(rig.submit(all[0]));
        rig.device->run_freely();
        CHECK(failed(*ticket, kReset));
        CHECK(failed(*ticket, kReset));
        CHECK(rig.lane->census().poisoned);
        CHECK(Rig::refused(rig.try_submit(all[1]), ErrorKind::DeviceLost));

        CHECK(ticket->ended());
        ticket.reset();
        CHECK(rig.lane->census().places_taken == 0);
        CHECK(all[0].in->gate.close());
        CHECK(all[0].out->gate.close());
        CHECK(rig.program.use_count() == 1);
    }
}

TEST_CASE("an exception of the runtime is a definite error") {
    for (const Call call : {Call::Start, Call::Wait, Call::Sync}) {
        Rig rig;
        rig.faults->throw_from(call);
        const Operands operands;
        const Ticket ticket = rig.submit(operands);
        const auto state = ticket.wait(kLong);
        REQUIRE(state.has_value());
        CHECK(state->phase == EventPhase::Failed);
        CHECK(rig.lane->census().poisoned);
    }
}

TEST_CASE("runs behind a failed dispatch fail in order, and are not started") {
    Rig rig;
    rig.faults->stall(Call::Start, std::unexpected(kReset));
    const std::vector<Operands> all(4);
    auto tickets = rig.submit_all(all);
    rig.faults->wait_for_arrival();
    rig.faults->let_go();
    CHECK(failed(tickets[3], ErrorKind::DeviceLost));
    CHECK(failed(tickets[2], ErrorKind::DeviceLost));
    CHECK(failed(tickets[1], ErrorKind::DeviceLost));
    CHECK(failed(tickets[0], kReset));
    CHECK(rig.device->starts() == 0);
    tickets.clear();
    CHECK(rig.lane->census().places_taken == 0);
    CHECK(rig.program.use_count() == 1);
}

TEST_CASE("runs that were started before an error end as they end") {
    Rig rig;
    rig.faults->stall(Call::Wait, std::unexpected(kReset));
    const std::vector<Operands> all(4);
    const auto tickets = rig.submit_all(all);
    rig.faults->wait_for_arrival();
    until([&] { return rig.lane->census().launched == 4; });
    rig.faults->let_go();
    CHECK(failed(tickets[0], kReset));
    CHECK(rig.lane->census().poisoned);
    for (std::size_t i = 1; i < tickets.size(); ++i)
        CHECK(complete(tickets[i]));
}

TEST_CASE("a run that waited for the stream while the lane was poisoned is not started") {
    Rig rig;
    rig.faults->stall(Call::Wait, std::unexpected(kReset));
    const std::vector<Operands> all(2);
    const Ticket front = rig.submit(all[0]);
    rig.faults->wait_for_arrival();
    auto stream = rig.lane->hold_stream();
    REQUIRE(stream.has_value());
    const Ticket next = rig.submit(all[1]);
    std::this_thread::yield();  // likely to be at the stream then; it is right either way
    rig.faults->let_go();
    CHECK(failed(front, kReset));
    stream->reset();
    CHECK(failed(next, ErrorKind::DeviceLost));
    CHECK(rig.device->starts() == 1);
}

TEST_CASE("no progress within the watchdog wedges the lane") {
    for (const Call call : {Call::Start, Call::Wait, Call::Sync}) {
        Rig rig;
        rig.faults->stall(call);
        const std::vector<Operands> all(3);
        const auto tickets = rig.submit_all({all.begin(), all.end() - 1});
        rig.faults->wait_for_arrival();
        if (call != Call::Start) until([&] { return rig.lane->census().launched == 2; });
        rig.pass(kWatchdog);
        CHECK(std::ranges::all_of(tickets, pending));
        rig.pass(std::chrono::nanoseconds(1));
        CHECK(std::ranges::all_of(tickets, lost));

        CHECK(rig.lane->census().wedged);
        CHECK(Rig::refused(rig.try_submit(all[2]), ErrorKind::DeviceLost));
        CHECK_FALSE(tickets[0].wait(kLong).has_value());
        CHECK_FALSE(rig.lane->hold_stream().has_value());

        // What the stalled call does later changes nothing.
        rig.faults->let_go();
        until([&] { return rig.lane->census().threads_parked == 2; });
        CHECK(std::ranges::all_of(tickets, lost));
        CHECK(std::ranges::none_of(tickets, &Ticket::ended));
        for (const Operands& operands : {all[0], all[1]}) {
            CHECK_FALSE(operands.in->gate.close());
            CHECK(operands.out->gate.in_use());
        }
    }
}

TEST_CASE("teardown joins no thread that is parked or stalled, and leaves them what they hold") {
    for (const bool parked : {false, true}) {
        std::weak_ptr<Buffer> out;
        std::weak_ptr<Program> program;
        std::shared_ptr<FaultyRuntime> faults;
        {
            Rig rig;
            faults = rig.faults;
            program = rig.program;
            faults->stall(Call::Wait);
            const Operands operands;
            out = operands.out;
            const Ticket ticket = rig.submit(operands);
            faults->wait_for_arrival();
            rig.pass_watchdog();
            CHECK(lost(ticket));
            if (parked) {
                faults->let_go();
                until([&] { return rig.lane->census().threads_parked == 2; });
            }
            // A join would never return: the call is let go below, a parked thread never.
            rig.lane.reset();
            CHECK(lost(ticket));
            CHECK_FALSE(ticket.ended());
        }
        faults->let_go();
        CHECK_FALSE(out.expired());
        CHECK_FALSE(program.expired());
    }
}

TEST_CASE("what a healthy device still does at teardown is left behind, and let go when it ends") {
    Rig rig({.contract = kActiveAndPrepared});
    rig.device->hold();
    std::vector<Operands> all(2);
    const std::weak_ptr<Buffer> out = all[0].out;
    const auto tickets = rig.submit_all(all);
    all.clear();
    until([&] { return rig.device->prepares() == 2; });
    rig.lane.reset();
    CHECK(pending(tickets[0]));
    CHECK_FALSE(out.expired());
    rig.device->run_freely();
    CHECK(complete(tickets[0]));
    CHECK(failed(tickets[1], ErrorKind::DeviceLost));
    CHECK(out.expired());
    CHECK(rig.device->starts() == 1);
}

TEST_CASE("each step of progress gives the watchdog all its time again") {
    Rig rig;
    rig.device->hold();
    const std::vector<Operands> all(4);
    rig.pass_watchdog();  // a lane at rest is not late
    const auto tickets = rig.submit_all(all);
    until([&] { return rig.lane->census().launched == 4; });
    for (const Ticket& ticket : tickets) {
        rig.pass(kWatchdog);
        CHECK(pending(ticket));
        rig.device->end_one();
        CHECK(complete(ticket));
    }
    CHECK_FALSE(rig.lane->census().wedged);
}

TEST_CASE("a dispatch that is held is healthy, and held for well less than the watchdog") {
    Rig rig;
    CHECK_FALSE(rig.faults->hold_dispatch(std::chrono::seconds(0), kWatchdog));
    CHECK_FALSE(rig.faults->hold_dispatch(kWatchdog / 2 + std::chrono::nanoseconds(1), kWatchdog));
    REQUIRE(rig.faults->hold_dispatch(kWatchdog / 2, kWatchdog));
    const Operands operands;
    const Ticket ticket = rig.submit(operands);
    rig.faults->wait_for_arrival();
    rig.pass(kWatchdog / 2);
    CHECK(pending(ticket));
    rig.faults->let_go();
    CHECK(complete(ticket));
}

}  // namespace
}  // namespace dispatch::test
