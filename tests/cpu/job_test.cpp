// SPDX-License-Identifier: MIT
//
// Jobs on their way: pending, cancelled, late, left behind. Workers are held with
// gates and time is a number, so nothing here depends on speed.
#include <atomic>

#include "cpu/rig.hpp"
#include "provider/answers.hpp"

namespace cpu::test {
namespace {

using provider::test::busy;
using tosa::Op;
using tosa::test::bytes_of;

// A program of three slices and bindings for it: out = in + in + in + in. Nothing of it
// is computed in one go: each sum is read twice, and IDENTITY copies.
struct Jobs : Rig {
    explicit Jobs(const Options& options) : Rig(options) {}

    static tosa::test::GraphBuilder graph() {
        tosa::test::GraphBuilder made;
        made.input("in", {4}).tensor("a", {4}).tensor("b", {4}).output("out", {4});
        made.op(Op::Add, {"in", "in"}, {"a"}).op(Op::Add, {"a", "a"}, {"b"});
        return made.op(Op::Identity, {"b"}, {"out"});
    }

    std::unique_ptr<provider::Program> program = load(graph());
    std::unique_ptr<provider::Buffer> in = buffer_of(bytes_of<float>({1, 2, 3, 4}));
    std::unique_ptr<provider::Buffer> out = buffer(16);

    [[nodiscard]] std::unique_ptr<provider::Event> submit(std::uint64_t timeout_ns = 0) const {
        const Binding bindings[] = {
            {.buffer = in.get(), .bytes = 16, .slot = 0, .access = Access::Read},
            {.buffer = out.get(), .bytes = 16, .slot = 1, .access = Access::Write}};
        return take(try_submit(*program, bindings, timeout_ns));
    }

    [[nodiscard]] bool destroy(std::unique_ptr<provider::Event> event) const {
        return released(provider->destroy_event(std::move(event)));
    }

    // Ended this way, and says so again.
    void check_ended(provider::Event& event, const provider::EventState& expected) const {
        for (int poll = 0; poll < 2; ++poll) {
            const auto state = take(provider->poll_event(event));
            CHECK(state.phase == expected.phase);
            CHECK(state.error == expected.error);
        }
        CHECK(provider->cancel_event(event).error() == ErrorKind::Busy);
    }
};

constexpr provider::EventState kComplete{.phase = EventPhase::Complete};
constexpr provider::EventState kCancelled{.phase = EventPhase::Cancelled};
constexpr provider::EventState kExpired{.phase = EventPhase::Failed,
                                        .error = ErrorKind::DeadlineExpired};

TEST_CASE("an event is pending until its job ends, and cannot be destroyed before") {
    Gate gate;
    const Jobs jobs({.before_job = gate.hook()});
    auto event = jobs.submit();
    gate.wait_for_arrival();
    CHECK(jobs.phase(*event) == EventPhase::Pending);
    event = busy(jobs.provider->destroy_event(std::move(event)));

    gate.let_through();
    CHECK(jobs.wait(*event).phase == EventPhase::Complete);
    jobs.check_ended(*event, kComplete);
    CHECK(jobs.contents(*jobs.out, 16) == bytes_of<float>({4, 8, 12, 16}));
    CHECK(jobs.destroy(std::move(event)));
}

TEST_CASE("a running job is pending and cannot be destroyed") {
    Gate gate;
    const Jobs jobs({.before_slice = gate.hook()});
    auto event = jobs.submit();
    gate.wait_for_arrival();
    CHECK(jobs.phase(*event) == EventPhase::Pending);
    event = busy(jobs.provider->destroy_event(std::move(event)));
    gate.open_for_good();
    CHECK(jobs.wait(*event).phase == EventPhase::Complete);
}

TEST_CASE("a queued job is cancelled at once and leaves no trace") {
    Gate gate;
    const Jobs jobs({.before_job = gate.hook()});
    auto first = jobs.submit();
    auto second = jobs.submit();
    gate.wait_for_arrival();
    CHECK(jobs.provider->cancel_event(*second).has_value());
    jobs.check_ended(*second, kCancelled);
    CHECK(jobs.provider->cancel_event(*first).has_value());
    CHECK(jobs.destroy(std::move(second)));
    CHECK(jobs.destroy(std::move(first)));

    auto third = jobs.submit();
    gate.open_for_good();
    CHECK(jobs.wait(*third).phase == EventPhase::Complete);
    CHECK(jobs.destroy(std::move(third)));
}

TEST_CASE("a running job is cancelled at its next slice") {
    Gate gate;
    const Jobs jobs({.before_slice = gate.hook()});
    auto event = jobs.submit();
    gate.wait_for_arrival();
    gate.let_through();
    gate.wait_for_arrival();  // the first operator has run
    CHECK(jobs.provider->cancel_event(*event).has_value());
    CHECK(jobs.phase(*event) == EventPhase::Pending);
    CHECK(jobs.provider->cancel_event(*event).error() == ErrorKind::Busy);

    gate.let_through();
    SUBCASE("and says so") {
        CHECK(jobs.wait(*event).phase == EventPhase::Cancelled);
        jobs.check_ended(*event, kCancelled);
    }
    SUBCASE("and may be destroyed before it has stopped") {}
    CHECK(jobs.destroy(std::move(event)));
    CHECK(jobs.contents(*jobs.out, 16) == Bytes(16));
}

TEST_CASE("a job cancelled in its last slice is cancelled, not complete") {
    Gate gate;
    std::atomic<int> slices = 0;
    const Jobs jobs({.before_slice = [&, hold = gate.hook()] {
        if (++slices == 3) hold();
    }});
    auto event = jobs.submit();
    gate.wait_for_arrival();
    CHECK(jobs.provider->cancel_event(*event).has_value());
    gate.let_through();
    CHECK(jobs.wait(*event).phase == EventPhase::Cancelled);
}

TEST_CASE("a job queued past its deadline fails at the poll, without a worker") {
    Gate gate;
    std::atomic<std::uint64_t> now = 1000;
    const Jobs jobs({.now = [&] { return now.load(); }, .before_job = gate.hook()});
    auto event = jobs.submit(50);
    gate.wait_for_arrival();
    now = 1049;
    CHECK(jobs.phase(*event) == EventPhase::Pending);
    now = 1050;
    SUBCASE("polled") {
        jobs.check_ended(*event, kExpired);
    }
    SUBCASE("cancelled") {
        CHECK(jobs.provider->cancel_event(*event).error() == ErrorKind::Busy);
        jobs.check_ended(*event, kExpired);
    }
    SUBCASE("destroyed") {}
    CHECK(jobs.destroy(std::move(event)));
    gate.open_for_good();
}

TEST_CASE("a job that reaches the worker or a slice past its deadline fails") {
    Gate gate;
    std::atomic<std::uint64_t> now = 0;
    Options options{.now = [&] { return now.load(); }};
    SUBCASE("before it runs") {
        options.before_job = gate.hook();
    }
    SUBCASE("while it runs") {
        options.before_slice = gate.hook();
    }
    const Jobs jobs(options);
    auto event = jobs.submit(1);
    gate.wait_for_arrival();
    now = 1;
    gate.open_for_good();
    CHECK(jobs.wait(*event).phase == EventPhase::Failed);
    jobs.check_ended(*event, kExpired);
    CHECK(jobs.contents(*jobs.out, 16) == Bytes(16));
}

TEST_CASE("without a limit, or with one past the end of time, no deadline passes") {
    Gate gate;
    std::atomic<std::uint64_t> now = 1000;
    const Jobs jobs({.now = [&] { return now.load(); }, .before_job = gate.hook()});
    auto unlimited = jobs.submit(0);
    auto endless = jobs.submit(~std::uint64_t{0});
    gate.wait_for_arrival();
    now = ~std::uint64_t{0} - 1;
    CHECK(jobs.phase(*unlimited) == EventPhase::Pending);
    CHECK(jobs.phase(*endless) == EventPhase::Pending);
    gate.open_for_good();
    CHECK(jobs.wait(*unlimited).phase == EventPhase::Complete);
    CHECK(jobs.wait(*endless).phase == EventPhase::Complete);
}

TEST_CASE("events that are not destroyed count against the limit") {
    Gate gate;
    const Jobs jobs({.before_job = gate.hook()});
    std::vector<std::unique_ptr<provider::Event>> events;
    while (events.size() < jobs.provider->device_info().max_events_per_context)
        events.push_back(jobs.submit());
    const Binding bindings[] = {
        {.buffer = jobs.in.get(), .bytes = 16, .slot = 0, .access = Access::Read},
        {.buffer = jobs.out.get(), .bytes = 16, .slot = 1, .access = Access::Write}};
    CHECK(jobs.try_submit(*jobs.program, bindings).error() == ErrorKind::ResourceLimit);

    REQUIRE(jobs.provider->cancel_event(*events.back()).has_value());
    CHECK(jobs.try_submit(*jobs.program, bindings).error() == ErrorKind::ResourceLimit);
    CHECK(jobs.destroy(std::move(events.back())));
    events.back() = jobs.submit();
    gate.open_for_good();
    for (auto& event : events)
        CHECK(jobs.wait(*event).phase == EventPhase::Complete);
}

TEST_CASE("a held context does not delay another") {
    Gate gate;
    std::atomic<bool> hold = true;
    Jobs jobs({.before_job = [&, wait = gate.hook()] {
        if (hold.exchange(false)) wait();
    }});
    auto held = jobs.submit();
    gate.wait_for_arrival();

    const auto context = std::exchange(jobs.context, take(jobs.provider->create_context(0)));
    const auto queue =
        std::exchange(jobs.queue, take(jobs.provider->create_queue(*jobs.context, 0)));
    CHECK(jobs.run(identity(), {Bytes(16, std::byte{7})}, {16}).at(0) == Bytes(16, std::byte{7}));
    CHECK(jobs.phase(*held) == EventPhase::Pending);
    gate.let_through();
    CHECK(jobs.wait(*held).phase == EventPhase::Complete);
}

TEST_CASE("a provider that is destroyed leaves its jobs, whatever is left of its objects") {
    Gate gate;
    std::atomic<int> slices = 0;
    auto jobs = std::make_unique<Jobs>(Options{.before_slice = [&, hold = gate.hook()] {
        ++slices;
        hold();
    }});
    auto running = jobs->submit();
    auto queued = jobs->submit();
    gate.wait_for_arrival();
    std::jthread end([&] { jobs->provider.reset(); });
    gate.open_for_good();
    end.join();
    const int seen = slices;
    SUBCASE("events first") {
        running.reset();
        queued.reset();
        jobs.reset();
    }
    SUBCASE("events last") {
        jobs.reset();
        running.reset();
        queued.reset();
    }
    CHECK(slices == seen);
}

TEST_CASE("contexts may be used by one thread each at the same time") {
    constexpr int kRounds = 20;
    const std::shared_ptr<provider::Provider> shared = Rig().provider;
    std::atomic<int> correct = 0;
    const auto work = [&](float value) {
        const Rig rig(shared);
        for (int round = 0; round < kRounds; ++round) {
            const auto out = rig.run(Jobs::graph(), {bytes_of({value, value, value, value})}, {16});
            const float sum = 4 * value;
            correct += out.at(0) == bytes_of({sum, sum, sum, sum}) ? 1 : 0;
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back(work, static_cast<float>(i));
    }
    CHECK(correct == 4 * kRounds);
    CHECK(shared->copy_counters().direct_bindings == 2 * 4 * kRounds);
}

}  // namespace
}  // namespace cpu::test
