// SPDX-License-Identifier: MIT
//
// Submissions that wait for syncs, signal syncs, notify and are detached.
#include <cerrno>
#include <vector>

#include "rig.hpp"

using namespace fake;
using namespace std::chrono_literals;
using Phase = accel::EventState::Phase;

namespace {

constexpr accel::EventState kComplete{.phase = Phase::Complete};
constexpr accel::EventState kCancelled{.phase = Phase::Cancelled};

std::vector<accel::Notification> read_all(const accel::Device& device) {
    std::vector<accel::Notification> read(256);
    read.resize(must(device.read_notifications(read, {})));
    return read;
}

}  // namespace

TEST_SUITE("libaccel/submit with syncs") {
    TEST_CASE("every sync signals when the event has ended, and then the output can be read") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto syncobj = must(rig.device.create_syncobj());
        const auto timeline = must(rig.device.create_syncobj());
        const std::array signal{accel::Sync{&syncobj}, accel::Sync{&timeline, 4}};
        const auto submission = must(rig.submit({.timeout = 10s, .signal = signal}));
        CHECK_FALSE(must(syncobj.wait({})));
        CHECK_FALSE(must(timeline.wait({}, 4)));

        rig.kernel.end_pending(kComplete);

        CHECK(must(syncobj.wait({})));
        CHECK(must(timeline.wait({}, 4)));
        std::array<std::byte, 8> bytes{};
        CHECK(must(rig.output.read(0, bytes)) == 8);
    }

    TEST_CASE("a chain of submissions runs in the order of its syncs") {
        Rig rig;
        std::vector<std::size_t> ran;
        rig.kernel.device.run = [&](const Program&, std::span<const Bound> bound) {
            ran.push_back(bound[0].bytes.size());
            return kComplete;
        };
        auto timeline = must(rig.device.create_syncobj());
        const auto gate = must(rig.device.create_syncobj());
        std::vector<accel::Event> events;
        for (std::uint64_t step = 1; step <= 3; ++step) {
            auto bindings = rig.bindings();
            bindings[0].size = step;
            const std::array wait_for{accel::Sync{step == 1 ? &gate : &timeline, step - 1}};
            const std::array signal{accel::Sync{&timeline, step}};
            if (step == 1) {
                rig.kernel.device.hold = true;
                const std::array open{accel::Sync{&gate}};
                events.push_back(must(rig.submit({.timeout = 1s, .signal = open})).event);
                rig.kernel.device.hold = false;
            }
            events.push_back(
                must(rig.queue.submit(rig.program, bindings,
                                      {.timeout = 1s, .wait_for = wait_for, .signal = signal}))
                    .event);
        }
        CHECK(ran.empty());
        CHECK(must(events.back().wait({})).phase == Phase::Pending);

        rig.kernel.end_pending(kComplete);

        CHECK(ran == std::vector<std::size_t>{1, 2, 3});
        CHECK(must(timeline.value()) == 3);
        CHECK(must(events.back().wait({})) == kComplete);
    }

    TEST_CASE("what waits for work that failed is cancelled, and never runs") {
        Rig rig;
        const auto syncobj = must(rig.device.create_syncobj());
        const std::array sync{accel::Sync{&syncobj}};
        rig.kernel.device.hold = true;
        const auto first = must(rig.submit({.timeout = 1s, .signal = sync}));
        const auto second = must(rig.submit({.wait_for = sync}));
        rig.kernel.end_pending({Phase::Failed, accel::Status::DeadlineExpired});
        CHECK(must(second.event.wait({})) == kCancelled);
    }

    TEST_CASE("what waits for its syncs can be cancelled") {
        Rig rig;
        const auto syncobj = must(rig.device.create_syncobj());
        const std::array sync{accel::Sync{&syncobj}};
        rig.kernel.device.hold = true;
        const auto first = must(rig.submit({.timeout = 1s, .signal = sync}));
        const auto second = must(rig.submit({.wait_for = sync}));
        CHECK(second.event.cancel().has_value());
        CHECK(must(second.event.wait({})) == kCancelled);
        CHECK(must(first.event.wait({})).phase == Phase::Pending);
    }

    TEST_CASE("syncs that are not right answer EINVAL") {
        Rig rig;
        Rig elsewhere;
        const auto syncobj = must(rig.device.create_syncobj());
        const auto foreign = must(elsewhere.device.create_syncobj());
        const auto with = [](const accel::Syncobj* named) {
            return std::array{accel::Sync{named}};
        };
        const std::vector<accel::Sync> many(65, accel::Sync{&syncobj});

        CHECK(code(rig.submit({.timeout = 1s, .signal = with(nullptr)})) == EINVAL);
        CHECK(code(rig.submit({.wait_for = with(nullptr)})) == EINVAL);
        CHECK(code(rig.submit({.timeout = 1s, .signal = with(&foreign)})) == EINVAL);
        CHECK(code(rig.submit({.wait_for = with(&foreign)})) == EINVAL);
        CHECK(code(rig.submit({.timeout = 1s, .signal = many})) == EINVAL);
        CHECK(code(rig.submit({.wait_for = many})) == EINVAL);
        CHECK(rig.kernel.count(Call::Submit) == 0);

        // These are the kernel's to judge: no fence, and a timeout that is not finite enough.
        CHECK(code(rig.submit({.wait_for = with(&syncobj)})) == EINVAL);
        CHECK(code(rig.submit({.signal = with(&syncobj)})) == EINVAL);
        CHECK(code(rig.submit({.timeout = 10s + 1ns, .signal = with(&syncobj)})) == EINVAL);
        CHECK(rig.kernel.count(Call::Submit) == 3);
        CHECK(rig.kernel.live().pending == 0);
        CHECK_FALSE(must(syncobj.wait({})));
    }

    TEST_CASE("64 syncs are enough for anybody") {
        Rig rig;
        const auto syncobj = must(rig.device.create_syncobj());
        const std::vector<accel::Sync> syncs(64, accel::Sync{&syncobj});
        CHECK(rig.submit({.timeout = 1s, .signal = syncs}).has_value());
        CHECK(rig.submit({.wait_for = syncs}).has_value());
    }
}

TEST_SUITE("libaccel/notification") {
    TEST_CASE("notifications have the cookie and the state, in the order of the ends") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto first = must(rig.submit({.notify = 0}));
        const auto second = must(rig.submit({.notify = ~0ULL}));
        const auto silent = must(rig.submit({}));
        CHECK(read_all(rig.device).empty());
        CHECK(second.event.cancel().has_value());
        rig.kernel.end_pending({Phase::Failed, accel::Status::OutOfMemory});

        CHECK(read_all(rig.device) ==
              std::vector<accel::Notification>{{~0ULL, kCancelled},
                                               {0, {Phase::Failed, accel::Status::OutOfMemory}}});
        CHECK(read_all(rig.device).empty());
    }

    TEST_CASE("as many are read as fit, and none is lost") {
        Rig rig;
        for (std::uint64_t cookie = 0; cookie < 5; ++cookie)
            CHECK(rig.submit({.notify = cookie}).has_value());
        std::array<accel::Notification, 2> some{};
        CHECK(must(rig.device.read_notifications(some, {})) == 2);
        CHECK(some == std::array<accel::Notification, 2>{{{0, kComplete}, {1, kComplete}}});
        CHECK(read_all(rig.device).size() == 3);
        CHECK(code(rig.device.read_notifications({}, {})) == EINVAL);
    }

    TEST_CASE("more than a file has room for are refused before they are submitted") {
        Rig rig;
        for (std::uint64_t cookie = 0; cookie < 128; ++cookie)
            CHECK(rig.submit({.notify = cookie}).has_value());
        CHECK(code(rig.submit({.notify = 128})) == ENOMEM);
        CHECK(read_all(rig.device).size() == 128);
        CHECK(rig.submit({.notify = 128}).has_value());
    }

    TEST_CASE("a read waits until its deadline, for ever, or not at all") {
        Rig rig;
        std::array<accel::Notification, 1> one{};
        CHECK(must(rig.device.read_notifications(one, accel::Deadline::max())) == 0);
        CHECK_FALSE(rig.kernel.last_poll);
        for (const auto past : {accel::Deadline{}, accel::Deadline::min()}) {
            CHECK(must(rig.device.read_notifications(one, past)) == 0);
            REQUIRE(rig.kernel.last_poll);
            CHECK(rig.kernel.last_poll->tv_sec == 0);
            CHECK(rig.kernel.last_poll->tv_nsec == 0);
        }
        const auto far = std::chrono::steady_clock::now() + 1000h;
        CHECK(must(rig.device.read_notifications(one, far)) == 0);
        REQUIRE(rig.kernel.last_poll);
        CHECK(std::chrono::seconds(rig.kernel.last_poll->tv_sec) <= 1000h);
        CHECK(rig.kernel.last_poll->tv_sec > 0);
    }

    TEST_CASE("signals interrupt nothing, and errors pass unchanged") {
        Rig rig;
        std::array<accel::Notification, 1> one{};
        rig.kernel.interrupt(Call::Read, 2);
        rig.kernel.interrupt(Call::Poll, 2);
        CHECK(must(rig.device.read_notifications(one, {})) == 0);
        rig.kernel.fail(Call::Read, 1, EFAULT);
        CHECK(code(rig.device.read_notifications(one, {})) == EFAULT);
        rig.kernel.fail(Call::Poll, 1, ENOMEM);
        CHECK(code(rig.device.read_notifications(one, {})) == ENOMEM);
    }

    TEST_CASE("a detached submission has no event, and notifies and signals all the same") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto syncobj = must(rig.device.create_syncobj());
        const std::array sync{accel::Sync{&syncobj}};
        auto submission =
            must(rig.submit({.timeout = 1s, .signal = sync, .notify = 9, .detach = true}));
        CHECK(code(submission.event.wait({})) == EBADF);
        CHECK(rig.kernel.live().events == 0);
        CHECK(rig.kernel.live().pending == 1);

        rig.kernel.end_pending(kComplete);

        CHECK(must(syncobj.wait({})));
        CHECK(read_all(rig.device) == std::vector<accel::Notification>{{9, kComplete}});
    }

    TEST_CASE("the end of a context is told of, too") {
        Rig rig;
        rig.kernel.device.hold = true;
        const auto syncobj = must(rig.device.create_syncobj());
        const std::array sync{accel::Sync{&syncobj}};
        {
            const auto context = must(rig.device.create_context());
            const auto program = must(context.load_program(kArtifact));
            const auto queue = must(context.create_queue());
            const auto buffer = must(context.create_buffer(kBuffer));
            const std::array bindings{accel::Binding{&buffer, 0, accel::Access::Read, 0, 1}};
            CHECK(queue
                      .submit(program, bindings,
                              {.timeout = 1s, .signal = sync, .notify = 1, .detach = true})
                      .has_value());
        }
        CHECK(must(syncobj.wait({})));
        CHECK(read_all(rig.device) == std::vector<accel::Notification>{{1, kCancelled}});
    }
}
