// SPDX-License-Identifier: MIT
//
// One run launched, one prepared behind it.
#include <format>

#include "lane/rig.hpp"

namespace dispatch::test {
namespace {

constexpr Behaviour kPair{.contract = kActiveAndPrepared};

void until_one_is_prepared_behind_another(Rig& rig) {
    until([&] {
        const Census census = rig.lane->census();
        return census.launched == 1 && census.prepared == 1;
    });
}

TEST_CASE("a third submit is Busy before anything is prepared or touched") {
    Rig rig(kPair);
    rig.device->hold();
    const std::vector<Operands> all(3);
    const auto tickets = rig.submit_all({all.begin(), all.end() - 1});
    until_one_is_prepared_behind_another(rig);
    CHECK(rig.busy(all[2]));
    CHECK(rig.device->prepares() == 2);
    CHECK_FALSE(all[2].in_use());
    CHECK(rig.device->log() == "P1 S1 P2 ");
    rig.device->run_freely();
    CHECK(complete(tickets[1]));
}

TEST_CASE("a third submit blocks with the prepare count unchanged") {
    Rig rig(kPair);
    const std::vector<Operands> all(3);
    for (int round = 0; round < kRounds; ++round) {
        const int before = rig.device->prepares();
        rig.device->hold();
        auto tickets = rig.submit_all({all.begin(), all.end() - 1});
        until_one_is_prepared_behind_another(rig);

        std::optional<Result<Ticket>> third;
        std::jthread submitter(
            [&] { third.emplace(rig.lane->submit_within(rig.work(all[2]), kLong)); });
        until([&] { return rig.lane->census().waiting == 1; });
        REQUIRE(rig.device->prepares() == before + 2);
        REQUIRE_FALSE(all[2].in_use());
        rig.device->end_one();
        REQUIRE(complete(tickets[0]));
        REQUIRE(rig.device->prepares() == before + 2);
        tickets.erase(tickets.begin());
        submitter.join();
        REQUIRE(third->has_value());
        until([&] { return rig.device->prepares() == before + 3; });
        REQUIRE(rig.device->log() ==
                std::format("P{0} S{0} P{1} E{0} S{1} P{2} ", before + 1, before + 2, before + 3));
        rig.device->run_freely();
        REQUIRE(complete(**third));
        REQUIRE(rig.device->log() ==
                std::format("E{} S{} E{} ", before + 2, before + 3, before + 3));
    }
}

TEST_CASE("submissions that wait for places never go beyond the contract") {
    Rig rig(kPair);
    const std::vector<Operands> all(4);
    std::vector<std::jthread> submitters;
    std::atomic<int> right = 0;
    for (const Operands& operands : all)
        submitters.emplace_back([&rig, &right, operands] {
            for (int round = 0; round < kRounds / 4; ++round) {
                const auto ticket = rig.lane->submit_within(rig.work(operands), kLong);
                right += ticket && complete(*ticket) ? 1 : 0;
            }
        });
    submitters.clear();
    CHECK(right == kRounds);
    CHECK(rig.device->prepares() == kRounds);
    CHECK(rig.device->most_in_flight() == 1);
    CHECK(rig.device->most_prepared() == 1);
}

TEST_CASE("an incompatible successor drains first") {
    Rig rig(kPair);
    rig.device->hold();
    const std::vector<Operands> all(2);
    const Ticket front = rig.submit(all[0], 1);
    const Ticket successor = rig.submit(all[1], 2);
    until([&] { return rig.lane->census().launched == 1; });
    CHECK(rig.lane->census().queued == 1);
    CHECK(rig.device->prepares() == 1);
    rig.device->end_one();
    until([&] { return front.ended() && rig.lane->census().launched == 1; });
    CHECK(rig.device->log() == "P1 S1 E1 P2 S2 ");
    rig.device->run_freely();
    CHECK(complete(successor));
}

TEST_CASE("a runtime that declares nothing stays at depth one") {
    Rig rig({.contract = {}});
    rig.device->hold();
    const std::vector<Operands> all(2);
    const Ticket only = rig.submit(all[0]);
    CHECK(rig.busy(all[1]));
    CHECK(rig.device->prepares() == 0);
    rig.device->run_freely();
    CHECK(complete(only));
}

TEST_CASE("waiting for or polling the successor advances the front first") {
    Rig rig(kPair);
    const std::vector<Operands> all(2);
    for (int round = 0; round < kRounds; ++round) {
        const auto tickets = rig.submit_all(all);
        if (round % 2 == 0)
            REQUIRE(complete(tickets[1]));
        else
            until([&] { return !pending(tickets[1]); });
        REQUIRE(tickets[0].ended());
    }
}

TEST_CASE("a wait that is over leaves its run pending") {
    Rig rig(kPair);
    rig.device->hold();
    const std::vector<Operands> all(3);
    const auto tickets = rig.submit_all({all.begin(), all.end() - 1});
    const auto state = tickets[1].wait(Seconds(0));
    REQUIRE(state.has_value());
    CHECK(state->phase == EventPhase::Pending);
    const auto third = rig.lane->submit_within(rig.work(all[2]), Seconds(0));
    CHECK(Rig::refused(third, ErrorKind::Busy));
    rig.device->run_freely();
    CHECK(complete(tickets[1]));
}

TEST_CASE("a failed preparation is its run's alone") {
    Rig rig(kPair);
    rig.device->hold();
    const std::vector<Operands> all(3);
    const Ticket front = rig.submit(all[0]);
    until([&] { return rig.lane->census().launched == 1; });
    rig.device->refuse_preparation();
    {
        const Ticket successor = rig.submit(all[1]);
        until([&] { return rig.device->prepares() == 2; });
        CHECK(pending(successor));  // in order
        rig.device->end_one();
        CHECK(complete(front));
        CHECK(failed(successor, ErrorKind::OutOfMemory));
        CHECK_FALSE(all[1].in_use());
    }
    rig.device->run_freely();
    CHECK(complete(rig.submit(all[2])));
}

TEST_CASE("a lane of no jobs or no patience does not open") {
    const auto refused = [](std::uint32_t launched, Options options) {
        const Behaviour behaviour{.contract = {.launched = launched}};
        const auto lane = Lane::open(std::make_shared<FakeRuntime>(behaviour), std::move(options));
        return !lane && lane.error().kind == ErrorKind::InvalidArgument;
    };
    CHECK(refused(0, {}));
    CHECK(refused(1, {.watchdog = std::chrono::nanoseconds(0)}));
    CHECK_FALSE(refused(1, {}));
}

}  // namespace
}  // namespace dispatch::test
