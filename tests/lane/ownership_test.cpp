// SPDX-License-Identifier: MIT
//
// What a run touches is on record before the runtime is called, and until it has ended.
#include "lane/rig.hpp"

namespace dispatch::test {
namespace {

// A buffer and a program as a provider hands them out: the native one behind is shared
// with the runs.
struct Handle {
    std::shared_ptr<Buffer> native;
};

template <class T>
bool released(const provider::ReleaseResult<T>& result) {
    return std::holds_alternative<provider::Released>(result);
}

// The handle that came back, null if none did or the refusal is not Busy.
std::unique_ptr<Handle> returned(provider::ReleaseResult<Handle> result) {
    auto* rejected = std::get_if<provider::ReleaseRejected<Handle>>(&result);
    if (!rejected || rejected->error.kind != ErrorKind::Busy) return nullptr;
    return std::move(rejected->resource);
}

std::unique_ptr<Handle> handle(const std::shared_ptr<Buffer>& native) {
    return std::make_unique<Handle>(native);
}

TEST_CASE("pending releases return the same live resources for retry") {
    Rig rig;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        rig.device->hold();
        const Operands operands;
        operands.in->host = round;
        const Ticket ticket = rig.submit(operands);

        auto in = handle(operands.in);
        const Handle* const same = in.get();
        for (int again = 0; again < 3; ++again) {
            in = returned(release(std::move(in), operands.in->gate));
            REQUIRE(in.get() == same);
            REQUIRE(in->native->host == round);
        }
        REQUIRE_FALSE(rig.program->gate.close());
        REQUIRE_FALSE(ticket.ended());
        rig.device->run_freely();
        REQUIRE(complete(ticket));
        REQUIRE(operands.out->host == result_of(round));
        REQUIRE(released(release(std::move(in), operands.in->gate)));
        REQUIRE(rig.busy(operands));  // nobody enters what is gone
    }
    CHECK(rig.program->gate.close());
}

TEST_CASE("a release sees a run whose dispatch is still blocked in the call") {
    Rig rig;
    for (int round = 0; round < kRounds; ++round) {
        REQUIRE(rig.faults->hold_dispatch(std::chrono::seconds(60), kWatchdog));
        const Operands operands;
        const Ticket ticket = rig.submit(operands);
        rig.faults->wait_for_arrival();
        auto in = handle(operands.in);
        const Handle* const same = in.get();
        in = returned(release(std::move(in), operands.in->gate));
        REQUIRE(in.get() == same);
        REQUIRE(rig.device->starts() == static_cast<Tick>(round));
        REQUIRE(pending(ticket));
        rig.faults->let_go();
        REQUIRE(complete(ticket));
        REQUIRE(released(release(std::move(in), operands.in->gate)));
    }
}

TEST_CASE("what a failed dispatch touched is withdrawn before its end can be seen") {
    Rig rig;
    rig.faults->fail(Call::Start);
    const Operands operands;
    const std::weak_ptr<Program> program = rig.program;
    const Ticket ticket = rig.submit(operands);
    rig.program.reset();  // the run keeps it alive, and lets it go
    until([&] { return !pending(ticket); });
    CHECK_FALSE(operands.in_use());
    CHECK(program.expired());
    CHECK(rig.device->starts() == 0);
}

TEST_CASE("a run keeps alive what its owner let go") {
    Rig rig;
    rig.device->hold();
    std::weak_ptr<Buffer> out;
    std::optional<Ticket> ticket;
    {
        const Operands operands;
        out = operands.out;
        ticket.emplace(rig.submit(operands));
    }
    CHECK_FALSE(out.expired());
    rig.device->run_freely();
    CHECK(complete(*ticket));
    CHECK(out.expired());
}

TEST_CASE("a gate is entered once by a run that names it twice, and all or none are") {
    const auto one = std::make_shared<Buffer>();
    const auto other = std::make_shared<Buffer>();
    Uses uses({gate_of(one), gate_of(one)});
    REQUIRE(uses.enter());
    Uses others({gate_of(other), gate_of(one)});
    CHECK_FALSE(others.enter());
    CHECK_FALSE(other->gate.in_use());
    uses.end();
    CHECK_FALSE(one->gate.in_use());
    CHECK(others.enter());
}

TEST_CASE("of a submission and a release that race exactly one succeeds") {
    std::atomic<int> turn = 0;
    std::atomic<int> answered = 0;
    std::shared_ptr<Buffer> buffer;
    bool closed = false;
    std::jthread releaser([&] {
        for (int round = 1; round <= kRounds; ++round) {
            until([&] { return turn == round; });
            closed = buffer->gate.close();
            answered = round;
        }
    });
    for (int round = 1; round <= kRounds; ++round) {
        buffer = std::make_shared<Buffer>();
        turn = round;
        Uses uses({gate_of(buffer)});
        const bool entered = uses.enter();
        until([&] { return answered == round; });
        REQUIRE(closed != entered);
    }
}

}  // namespace
}  // namespace dispatch::test
