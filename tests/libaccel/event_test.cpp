// SPDX-License-Identifier: MIT
#include <cerrno>
#include <vector>

#include "rig.hpp"

using namespace fake;
using Phase = accel::EventState::Phase;

namespace {

constexpr accel::EventState kPending{};
constexpr accel::EventState kComplete{.phase = Phase::Complete};

// One event that has ended and then one that is pending.
std::vector<accel::Event> one_of_each(Rig& rig) {
    std::vector<accel::Event> events;
    for (const bool hold : {false, true}) {
        rig.kernel.device.hold = hold;
        events.push_back(must(rig.submit()).event);
    }
    return events;
}

}  // namespace

TEST_SUITE("libaccel/event") {
    TEST_CASE("a failed event says why") {
        Rig rig;
        rig.kernel.device.run = [](const Program&, std::span<const Bound>) {
            return accel::EventState{Phase::Failed, accel::Status::DeadlineExpired};
        };
        const auto event = must(rig.submit()).event;
        CHECK(must(event.wait({})) ==
              accel::EventState{Phase::Failed, accel::Status::DeadlineExpired});
    }

    TEST_CASE("a wait whose deadline passed is not an error: the event is pending") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto event = must(rig.submit()).event;
        CHECK(must(event.wait({})) == kPending);
        rig.kernel.end_pending(kComplete);
        CHECK(must(event.wait({})) == kComplete);
    }

    TEST_CASE("the deadline reaches the kernel unchanged, after interruptions as well") {
        Rig rig;
        const auto event = must(rig.submit()).event;
        for (const auto deadline :
             {accel::Deadline(std::chrono::nanoseconds(123456789)), accel::Deadline::max(),
              accel::Deadline::min(), accel::Deadline{}}) {
            rig.kernel.interrupt(Call::EventWait, 3);
            CHECK(event.wait(deadline).has_value());
            CHECK(rig.kernel.last_wait.deadline == deadline);
        }
        CHECK(rig.kernel.count(Call::EventWait) == 16);
    }

    TEST_CASE("wait_any is content with one event, wait_all is not, and both give all states") {
        Rig rig;
        const auto events = one_of_each(rig);
        std::array<accel::EventState, 2> states{};

        CHECK(accel::Event::wait_any(events, {}, states).has_value());
        CHECK(states == std::array{kComplete, kPending});
        CHECK_FALSE(rig.kernel.last_wait.timed_out);
        states = {};
        CHECK(accel::Event::wait_all(events, {}, states).has_value());
        CHECK(states == std::array{kComplete, kPending});
        CHECK(rig.kernel.last_wait.timed_out);
        rig.kernel.end_pending({Phase::Cancelled});
        CHECK(accel::Event::wait_all(events, {}, states).has_value());
        CHECK(states == std::array{kComplete, accel::EventState{Phase::Cancelled}});
    }

    TEST_CASE("an error of the kernel other than ETIME leaves the states alone") {
        Rig rig;
        const auto events = one_of_each(rig);
        std::array states{kComplete, kComplete};
        rig.kernel.fail(Call::EventWait, 1, ENODEV);
        CHECK(code(accel::Event::wait_all(events, {}, states)) == ENODEV);
        CHECK(states == std::array{kComplete, kComplete});
        rig.kernel.end_pending(kComplete);
    }

    TEST_CASE("a wait on no event, too many, or events of two devices answers EINVAL") {
        Rig rig;
        Rig other;
        std::vector<accel::Event> events;
        std::vector<accel::EventState> states(65);
        const auto wait = [&](std::size_t count) {
            return code(accel::Event::wait_any(events, {}, std::span(states).first(count)));
        };

        CHECK(wait(0) == EINVAL);
        while (events.size() < accel::kMaxWaitEvents)
            events.push_back(must(rig.submit()).event);
        CHECK(wait(64) == 0);
        CHECK(wait(63) == EINVAL);
        CHECK(wait(65) == EINVAL);
        events.push_back(must(rig.submit()).event);
        CHECK(wait(65) == EINVAL);
        events.erase(events.begin() + 1, events.end());
        events.push_back(must(other.submit()).event);
        CHECK(wait(2) == EINVAL);
        events.pop_back();
        CHECK(events.front().destroy().has_value());
        CHECK(wait(1) == EBADF);
    }

    TEST_CASE("a pending event can be cancelled, an ended one answers EBUSY") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto event = must(rig.submit()).event;
        CHECK(event.cancel().has_value());
        CHECK(must(event.wait({})).phase == Phase::Cancelled);
        CHECK(code(event.cancel()) == EBUSY);
    }

    TEST_CASE("a pending event is not destroyed by destroy()") {
        Rig rig;
        rig.kernel.device.hold = true;
        auto event = must(rig.submit()).event;
        CHECK(code(event.destroy()) == EBUSY);
        rig.kernel.end_pending(kComplete);
        CHECK(event.destroy().has_value());
        CHECK(code(event.destroy()) == EBADF);
        CHECK(rig.kernel.live().pending == 0);
        CHECK(rig.kernel.count(Call::EventDestroy) == 2);
    }

    TEST_CASE("a pending event that goes out of scope is detached and released when it ends") {
        Rig rig;
        rig.kernel.device.hold = true;
        CHECK(rig.submit().has_value());
        CHECK(rig.kernel.live().events == 0);
        CHECK(rig.kernel.live().pending == 1);
        rig.kernel.end_pending(kComplete);
        CHECK(rig.kernel.live().pending == 0);
    }
}
