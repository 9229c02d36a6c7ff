// SPDX-License-Identifier: MIT
//
// Devices that stop to answer. What they leave behind counts as alive in the double, so this
// file is the last by its name.
#include "xdna/provider/rig.hpp"

namespace xdna::test {
namespace {

using dispatch::test::Call;

TEST_SUITE("xdna/wedge") {
    TEST_CASE("a device that does not answer keeps what it may still use, and lets us go") {
        Rig rig("stall");
        rig.leaves_behind = true;
        auto program = rig.load();
        auto idle = rig.load(Int8Identity{12});
        Pair pair(rig);
        auto unused = rig.buffer(8);
        auto event = rig.submit(*program, pair.bindings());
        xrt_double::await("commands", 1);
        const auto alive = rig.alive();
        rig.pass_watchdog();

        CHECK(error_of(rig->poll_event(*event)) == ErrorKind::DeviceLost);
        CHECK(rig.losses == 1);
        CHECK(rig.lost_wedged);
        CHECK(rejection(rig.try_submit(*program, pair.bindings())) == ErrorKind::DeviceLost);
        auto* const event_was = event.get();
        busy(rig->destroy_event(std::move(event)), event, event_was);
        auto* const in_was = pair.in.get();
        busy(rig->free_buffer(std::move(pair.in)), pair.in, in_was);
        auto* const program_was = program.get();
        busy(rig->unload_program(std::move(program)), program, program_was);
        auto* const queue_was = rig.queue.get();
        busy(rig->destroy_queue(std::move(rig.queue)), rig.queue, queue_was);
        const auto& counts = static_cast<const ContextObject&>(*rig.context);
        CHECK(counts.buffers == 3);
        CHECK(counts.programs == 2);
        CHECK(counts.queues == 1);
        CHECK(counts.events == 1);
        // What is not in flight can be released, and is kept all the same.
        rig.free(std::move(unused));
        rig.unload(std::move(idle));
        CHECK(rig.alive() == alive);

        rig.close();
        drop(event, program, pair.in, pair.out, rig.queue, rig.context);
        CHECK(rig.losses == 1);
        CHECK(rig.alive() == alive);
        CHECK(xrt_double::count("blocked.destructor") == 0);
    }

    TEST_CASE("a wedge that nobody has asked for is found at the end") {
        Rig rig("stall");
        rig.leaves_behind = true;
        auto program = rig.load();
        Pair pair(rig);
        auto unused = rig.buffer(8);
        auto event = rig.submit(*program, pair.bindings());
        xrt_double::await("commands", 1);
        const auto alive = rig.alive();
        rig.pass_watchdog();
        rig.close();
        unused.reset();
        pair.in.reset();
        pair.out.reset();
        program.reset();
        event.reset();
        rig.queue.reset();
        rig.context.reset();
        CHECK(rig.alive() == alive);
    }

    TEST_CASE("a start that does not return wedges the device as well") {
        Rig rig;
        rig.leaves_behind = true;
        auto program = rig.load();
        Pair pair(rig);
        rig.faults->stall(Call::Start);
        auto event = rig.submit(*program, pair.bindings());
        rig.faults->wait_for_arrival();
        rig.pass_watchdog();
        CHECK(error_of(rig->poll_event(*event)) == ErrorKind::DeviceLost);
        CHECK(rig.lost_wedged);
        const auto alive = rig.alive();
        rig.close();
        drop(event, program, pair.in, pair.out, rig.queue, rig.context);
        CHECK(rig.alive() == alive);
    }

    TEST_CASE("a device that does not answer in the self test is not opened") {
        const xrt_double::Script script("stall");
        Opening opening;
        opening.options.watchdog = std::chrono::milliseconds(200);
        CHECK(opening.open().ends_with("DeviceLost"));
        CHECK(xrt_double::count("blocked.destructor") == 0);
    }
}

}  // namespace
}  // namespace xdna::test
