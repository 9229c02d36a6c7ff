// SPDX-License-Identifier: MIT
#include <cerrno>
#include <vector>

#include "rig.hpp"

using namespace fake;
using namespace std::chrono_literals;

TEST_SUITE("libaccel/submit") {
    TEST_CASE("each binding arrives with its slot, access and range") {
        Rig rig;
        std::vector<Bound> seen;
        rig.kernel.device.run = [&](const Program&, std::span<const Bound> bound) {
            seen.assign(bound.begin(), bound.end());
            return accel::EventState{.phase = accel::EventState::Phase::Complete};
        };
        const std::array bindings{accel::Binding{&rig.output, 9, accel::Access::Write, 16, 48},
                                  accel::Binding{&rig.input, 4, accel::Access::Read, 8, 1}};

        CHECK(rig.queue.submit(rig.program, bindings).has_value());

        REQUIRE(seen.size() == 2);
        CHECK(seen[0].slot == 9);
        CHECK(seen[0].access == accel::Access::Write);
        CHECK(seen[0].bytes.size() == 48);
        CHECK(seen[1].slot == 4);
        CHECK(seen[1].access == accel::Access::Read);
        CHECK(seen[1].bytes.size() == 1);
    }

    TEST_CASE("what the library refuses answers EINVAL without a system call") {
        Rig rig;
        const auto other = must(rig.device.create_context());
        const auto foreign = must(other.create_buffer(kBuffer));
        const auto foreign_program = must(other.load_program(kArtifact));
        auto bindings = rig.bindings();

        CHECK(code(rig.queue.submit(rig.program, std::span<const accel::Binding>{})) == EINVAL);
        CHECK(code(rig.queue.submit(rig.program, bindings, {.timeout = -1ns})) == EINVAL);
        CHECK(code(rig.queue.submit(foreign_program, bindings)) == EINVAL);
        CHECK(code(rig.queue.submit(rig.program, std::vector<accel::Binding>(4097, bindings[0]))) ==
              EINVAL);
        bindings[1].buffer = &foreign;
        CHECK(code(rig.queue.submit(rig.program, bindings)) == EINVAL);
        bindings[1].buffer = nullptr;
        CHECK(code(rig.queue.submit(rig.program, bindings)) == EINVAL);
        CHECK(rig.kernel.count(Call::Submit) == 0);
    }

    TEST_CASE("a binding with the wrong range, slot or access is refused by the kernel") {
        Rig rig;
        const auto attempt = [&](auto change) {
            auto bindings = rig.bindings();
            change(bindings[1]);
            return code(rig.queue.submit(rig.program, bindings));
        };
        CHECK(attempt([](auto& binding) { binding.offset = 1; }) == ERANGE);
        CHECK(attempt([](auto& binding) { binding.offset = ~0ULL; }) == EINVAL);
        CHECK(attempt([](auto& binding) { binding.size = 0; }) == EINVAL);
        CHECK(attempt([](auto& binding) { binding.slot = 0; }) == EINVAL);
        CHECK(attempt([](auto& binding) { binding.access = accel::Access::ReadWrite; }) == EPERM);
        CHECK(rig.kernel.live().pending == 0);
    }

    TEST_CASE("a submission whose fate is unknown succeeds with its event and the reason") {
        Rig rig;
        rig.kernel.device.admission = accel::Status::InternalError;
        rig.kernel.device.hold = true;

        auto submission = must(rig.submit());

        CHECK(submission.admission == accel::Status::InternalError);
        CHECK(accel::name(submission.admission) == "internal error");
        CHECK(must(submission.event.wait({})).phase == accel::EventState::Phase::Pending);
        std::array<std::byte, 1> byte{};
        CHECK(code(rig.output.read(0, byte)) == EBUSY);

        rig.kernel.end_pending({accel::EventState::Phase::Failed, accel::Status::DeviceLost});
    }
}
