// SPDX-License-Identifier: MIT
#include <cerrno>
#include <optional>

#include <sys/eventfd.h>

#include <unistd.h>

#include "rig.hpp"

using namespace fake;
using namespace std::chrono_literals;

namespace {

constexpr accel::EventState kComplete{.phase = accel::EventState::Phase::Complete};

// What an eventfd has counted since the last look.
std::uint64_t taken(const accel::Descriptor& eventfd) {
    std::uint64_t value = 0;
    return ::read(eventfd.get(), &value, sizeof value) == sizeof value ? value : 0;
}

// Closed by the system, not by the kernel of the test.
accel::Descriptor make_eventfd() {
    return {accel::system_kernel(), ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
}

}  // namespace

TEST_SUITE("libaccel/syncobj") {
    TEST_CASE("a syncobj waits for its fence, also for one that it does not have yet") {
        Rig rig;
        auto syncobj = must(rig.device.create_syncobj());
        CHECK_FALSE(must(syncobj.wait({})));
        CHECK(syncobj.signal().has_value());
        CHECK(must(syncobj.wait({})));
    }

    TEST_CASE("a point of a timeline signals with all before it") {
        Rig rig;
        auto timeline = must(rig.device.create_syncobj());
        CHECK(must(timeline.value()) == 0);
        CHECK(timeline.signal(3).has_value());
        CHECK(must(timeline.wait({}, 2)));
        CHECK(must(timeline.wait({}, 3)));
        CHECK_FALSE(must(timeline.wait({}, 4)));
        CHECK(must(timeline.value()) == 3);
    }

    TEST_CASE("an eventfd counts once, when its point signals and not before") {
        Rig rig;
        auto timeline = must(rig.device.create_syncobj());
        const auto eventfd = make_eventfd();
        CHECK(timeline.notify(eventfd.get(), 2).has_value());
        CHECK(timeline.signal(1).has_value());
        CHECK(taken(eventfd) == 0);
        CHECK(timeline.signal(2).has_value());
        CHECK(taken(eventfd) == 1);
        CHECK(timeline.signal(3).has_value());
        CHECK(taken(eventfd) == 0);
    }

    TEST_CASE("a fence goes through a sync_file to a syncobj of another file") {
        Rig rig;
        const auto device = must(accel::Device::open(rig.kernel));
        rig.kernel.device.hold = true;
        for (const std::uint64_t from : {0, 5}) {
            for (const std::uint64_t to : {0, 7}) {
                CAPTURE(from);
                CAPTURE(to);
                const auto source = must(rig.device.create_syncobj());
                auto target = must(device.create_syncobj());
                const std::array signal{accel::Sync{&source, from}};
                const auto submission = must(rig.submit({.timeout = 1s, .signal = signal}));

                const auto sync_file = must(source.export_sync_file(from));
                CHECK(target.import_sync_file(sync_file.get(), to).has_value());

                CHECK_FALSE(must(target.wait({}, to)));
                rig.kernel.end_pending(kComplete);
                CHECK(must(target.wait({}, to)));
                CHECK(rig.kernel.live().sync_files == 1);
            }
        }
        CHECK(rig.kernel.live().syncobjs == 0);
        CHECK(rig.kernel.live().sync_files == 0);
    }

    TEST_CASE("an export without a fence and an import of something else answer EINVAL") {
        Rig rig;
        auto syncobj = must(rig.device.create_syncobj());
        CHECK(code(syncobj.export_sync_file()) == EINVAL);
        CHECK(code(syncobj.export_sync_file(1)) == EINVAL);
        CHECK(code(syncobj.import_sync_file(rig.device.fd())) == EINVAL);
        CHECK(code(syncobj.import_sync_file(-1, 1)) == EINVAL);
        CHECK(rig.kernel.live().syncobjs == 1);
    }

    TEST_CASE("a failure at any step of an exchange leaves nothing behind") {
        Rig rig;
        auto syncobj = must(rig.device.create_syncobj());
        CHECK(syncobj.signal(1).has_value());
        const auto sync_file = must(syncobj.export_sync_file(1));
        const Live before = rig.kernel.live();
        for (const auto call : {Call::SyncobjCreate, Call::SyncobjTransfer, Call::SyncobjExport}) {
            rig.kernel.fail(call, 1, ENOMEM);
            CHECK(code(syncobj.export_sync_file(1)) == ENOMEM);
        }
        for (const auto call : {Call::SyncobjCreate, Call::SyncobjTransfer, Call::SyncobjImport}) {
            rig.kernel.fail(call, 1, ENOMEM);
            CHECK(code(syncobj.import_sync_file(sync_file.get(), 2)) == ENOMEM);
        }
        CHECK(rig.kernel.live() == before);
    }

    TEST_CASE("a driver without syncobjs answers EOPNOTSUPP, any other error passes unchanged") {
        Rig rig;
        rig.kernel.fail(Call::SyncobjCreate, 1, EOPNOTSUPP);
        CHECK(code(rig.device.create_syncobj()) == EOPNOTSUPP);
        const auto syncobj = must(rig.device.create_syncobj());
        rig.kernel.fail(Call::SyncobjWait, 1, ENOMEM);
        CHECK(code(syncobj.wait({})) == ENOMEM);
        rig.kernel.interrupt(Call::SyncobjWait, 3);
        CHECK_FALSE(must(syncobj.wait({})));
        CHECK(rig.kernel.count(Call::SyncobjWait) == 5);
    }

    TEST_CASE("a syncobj that was moved from answers EBADF without a system call") {
        Rig rig;
        auto syncobj = must(rig.device.create_syncobj());
        const auto moved = std::move(syncobj);
        const std::array sync{accel::Sync{&syncobj, 0}};  // NOLINT(bugprone-use-after-move)
        CHECK(code(syncobj.wait({})) == EBADF);
        CHECK(code(syncobj.signal(1)) == EBADF);
        CHECK(code(syncobj.value()) == EBADF);
        CHECK(code(syncobj.notify(0)) == EBADF);
        CHECK(code(syncobj.export_sync_file(1)) == EBADF);
        CHECK(code(syncobj.import_sync_file(0, 1)) == EBADF);
        CHECK(code(rig.submit({.timeout = 1s, .signal = sync})) == EBADF);
        CHECK(code(rig.submit({.wait_for = sync})) == EBADF);
        CHECK(rig.kernel.count(Call::SyncobjWait) == 0);
        CHECK(rig.kernel.count(Call::SyncobjCreate) == 1);
        CHECK(rig.kernel.count(Call::Submit) == 0);
    }

    TEST_CASE("a syncobj keeps its device open") {
        Kernel kernel;
        const NothingLeft nothing_left(kernel);
        std::optional<accel::Device> device = must(accel::Device::open(kernel));
        auto syncobj = must(device->create_syncobj());
        device.reset();
        CHECK(syncobj.signal().has_value());
        CHECK(kernel.live() == Live{.files = 1, .syncobjs = 1});
    }

    TEST_CASE("a descriptor is closed once, by its last owner, unless it was released") {
        Rig rig;
        auto syncobj = must(rig.device.create_syncobj());
        CHECK(syncobj.signal().has_value());
        int released = -1;
        {
            auto first = must(syncobj.export_sync_file());
            auto second = must(syncobj.export_sync_file());
            first = std::move(second);
            auto third = std::move(first);
            CHECK(rig.kernel.live().sync_files == 2);
            released = third.release();
        }
        CHECK(rig.kernel.count(Call::Close) == 1);
        CHECK(rig.kernel.live().sync_files == 1);
        CHECK(rig.kernel.close(released) == 0);
    }
}
