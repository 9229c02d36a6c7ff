// SPDX-License-Identifier: MIT
#include "selftest.hpp"

#include <cerrno>

#include "rig.hpp"
#include "tosa_device.hpp"

using namespace fake;

namespace {

struct Report {
    accelctl::Tally tally;
    std::string text;
};

Report run_selftest(Kernel& kernel) {
    Report report;
    const auto tally =
        accelctl::selftest("", kernel, [&](std::string_view line) { report.text += line; });
    REQUIRE_MESSAGE(tally.has_value(), tally.error());
    report.tally = *tally;
    return report;
}

// What failed on a device that is wrong in one way.
std::string complaint(Kernel& kernel) {
    const auto report = run_selftest(kernel);
    CHECK(kernel.live() == Live{});
    const auto start = report.text.find("FAIL  ");
    if (start == std::string::npos) return "";
    return report.text.substr(start + 6, report.text.find('\n', start) - start - 6);
}

}  // namespace

TEST_SUITE("libaccel/selftest") {
    TEST_CASE("every check passes on a device that works, and nothing is left behind") {
        Kernel kernel;
        kernel.device.load = load_tosa;
        kernel.device.run = run_tosa;

        const auto report = run_selftest(kernel);

        CAPTURE(report.text);
        CHECK(report.tally.passed == 12);
        CHECK(report.tally.failed == 0);
        CHECK(report.text.ends_with("12 passed, 0 failed\n"));
        CHECK(kernel.live() == Live{});
    }

    TEST_CASE("a device that is wrong in one way fails the check for it") {
        Kernel kernel;
        kernel.device.load = load_tosa;
        kernel.device.run = run_tosa;

        SUBCASE("another protocol") {
            kernel.device.info.protocol_major = 2;
            CHECK(complaint(kernel) == "the device describes itself: protocol 2");
        }
        SUBCASE("lost writes") {
            kernel.fail(Call::BufWrite, 3, EIO);
            CHECK(complaint(kernel) ==
                  "buffers keep what is written: buffer_write: Input/output error");
        }
        SUBCASE("programs are not looked at") {
            kernel.device.load = [](const Program& program) {
                return program.bytes.size() < 16 ? 0 : load_tosa(program);
            };
            CHECK(complaint(kernel) ==
                  "a malformed program is refused: accepted instead of: Invalid argument");
        }
        SUBCASE("wrong arithmetic") {
            kernel.device.run = [](const Program& program, std::span<const Bound> bound) {
                const auto state = run_tosa(program, bound);
                if (bound.size() == 3) bound[2].bytes[1] ^= std::byte{1};
                return state;
            };
            CHECK(complaint(kernel) ==
                  "MATMUL, ADD and CLAMP of FP32 are right: the result is wrong");
        }
        SUBCASE("bits of a NaN changed") {
            kernel.device.run = [](const Program& program, std::span<const Bound> bound) {
                const auto state = run_tosa(program, bound);
                if (bound.size() == 2) bound[1].bytes[0] ^= std::byte{1};
                return state;
            };
            CHECK(complaint(kernel) ==
                  "IDENTITY keeps every bit of FP32: the output differs from the input");
        }
        SUBCASE("fences that signal nothing") {
            kernel.fail(Call::SyncobjWait, 1, ETIME);
            CHECK(complaint(kernel) ==
                  "a syncobj and a notification tell of the end: the syncobj does not signal");
        }
        SUBCASE("sync_files that nobody takes") {
            kernel.fail(Call::SyncobjTransfer, 2, ENOENT);
            CHECK(complaint(kernel) ==
                  "a fence goes through a sync_file and an eventfd: syncobj_import: No such file "
                  "or directory");
        }
        SUBCASE("events that fail") {
            kernel.device.run = [](const Program&, std::span<const Bound>) {
                return accel::EventState{accel::EventState::Phase::Failed,
                                         accel::Status::DeviceLost};
            };
            CHECK(complaint(kernel) ==
                  "IDENTITY keeps every bit of FP32: the execution failed: "
                  "device lost");
        }
    }

    TEST_CASE("a driver without syncobjs passes as well") {
        Kernel kernel;
        kernel.device.load = load_tosa;
        kernel.device.run = run_tosa;
        kernel.device.info.max_fence_timeout = {};
        CHECK(complaint(kernel).empty());
    }

    TEST_CASE("without a device there is one clear line") {
        Kernel kernel;
        kernel.nodes.clear();
        const auto tally = accelctl::selftest("", kernel, [](std::string_view) {});
        REQUIRE(!tally);
        CHECK(tally.error() == "no virtio-accel device: is the module loaded?");
    }
}
