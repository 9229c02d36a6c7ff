// SPDX-License-Identifier: MIT
//
// Devices that fail, and that take their time.
#include "xdna/provider/rig.hpp"

namespace xdna::test {
namespace {

using dispatch::test::Call;

bool failed_with(const EventState& state, const Error& error) {
    return state.phase == EventPhase::Failed && state.error == error;
}

// A poisoned device does nothing more, but lets go of everything.
void check_poisoned(Rig& rig, Pair& pair, std::unique_ptr<provider::Program> program) {
    CHECK(rig.losses == 1);
    CHECK_FALSE(rig.lost_wedged);
    CHECK(rejection(rig.try_submit(*program, pair.bindings())) == ErrorKind::DeviceLost);
    CHECK(error_of(rig->create_context(0)) == ErrorKind::DeviceLost);
    CHECK(error_of(rig->create_queue(*rig.context, 0)) == ErrorKind::DeviceLost);
    CHECK(error_of(rig->allocate_buffer(*rig.context, {.bytes = 4, .usage = kEveryUsage})) ==
          ErrorKind::DeviceLost);
    CHECK(error_of(rig.try_load(kCopy)) == ErrorKind::DeviceLost);
    Bytes four(4);
    provider::SpanSource source(four);
    provider::SpanSink sink(four);
    CHECK(error_of(rig->write_buffer(*pair.in, 0, source)) == ErrorKind::DeviceLost);
    CHECK(error_of(rig->read_buffer(*pair.in, 0, sink)) == ErrorKind::DeviceLost);
    CHECK(rig.losses == 1);
    pair.free(rig);
    rig.unload(std::move(program));
}

TEST_SUITE("xdna/fault") {
    TEST_CASE("a command that ends otherwise than well fails its event and poisons the device") {
        for (const int state : {5, 6, 8, 9}) {  // ERROR, ABORT, TIMEOUT, NORESPONSE
            CAPTURE(state);
            Rig rig("end=" + std::to_string(state));
            auto program = rig.load();
            Pair pair(rig);
            auto event = rig.submit(*program, pair.bindings());
            const Error expected(kErrorDomain, -state);
            CHECK(failed_with(rig.wait(*event), expected));
            CHECK(failed_with(rig.wait(*event), expected));
            released(rig->destroy_event(std::move(event)));
            check_poisoned(rig, pair, std::move(program));
        }
    }

    TEST_CASE("what was not started when the device failed never starts") {
        Rig rig;
        auto program = rig.load();
        Pair first(rig);
        Pair second(rig);
        rig.faults->stall(Call::Start, std::unexpected(Error(kErrorDomain, 7)));
        auto failing = rig.submit(*program, first.bindings());
        rig.faults->wait_for_arrival();
        auto waiting = rig.submit(*program, second.bindings());
        rig.faults->let_go();
        CHECK(failed_with(rig.wait(*failing), Error(kErrorDomain, 7)));
        CHECK(failed_with(rig.wait(*waiting), ErrorKind::DeviceLost));
        CHECK(xrt_double::count("start") == 0);
        for (auto* event : {&failing, &waiting})
            released(rig->destroy_event(std::move(*event)));
        second.free(rig);
        check_poisoned(rig, first, std::move(program));
    }

    TEST_CASE("outputs that cannot be synced fail the event") {
        Rig rig;
        auto program = rig.load();
        Pair pair(rig);
        const xrt_double::Script script("sync#1=-14");
        auto event = rig.submit(*program, pair.bindings());
        CHECK(failed_with(rig.wait(*event), Error(kErrorDomain, 14)));
        released(rig->destroy_event(std::move(event)));
        check_poisoned(rig, pair, std::move(program));
    }

    TEST_CASE("a run that cannot be made is a rejection, and the next is as if it had not been") {
        for (const char* call : {"run", "set_arg"}) {
            CAPTURE(call);
            Rig rig;
            auto program = rig.load();
            Pair pair(rig, payload(4));
            const auto alive = rig.alive();
            {
                const xrt_double::Script script(std::string(call) + "#1=alloc");
                CHECK(rejection(rig.try_submit(*program, pair.bindings())) ==
                      ErrorKind::OutOfMemory);
            }
            CHECK(rig.alive() == alive);
            CHECK(rig->copy_counters().direct_bindings == 0);
            rig.finish(rig.submit(*program, pair.bindings()));
            CHECK(rig.read(*pair.out) == payload(4));
            CHECK(rig.losses == 0);
            pair.free(rig);
            rig.unload(std::move(program));
        }
    }

    TEST_CASE("a device that is gone is lost for all calls") {
        Rig rig;
        auto program = rig.load();
        Pair pair(rig);
        {
            const xrt_double::Script script("bo#1=19");
            CHECK(error_of(rig->allocate_buffer(
                      *rig.context, {.bytes = 4, .usage = kEveryUsage})) == ErrorKind::DeviceLost);
        }
        check_poisoned(rig, pair, std::move(program));
    }

    TEST_CASE("what ends after the provider is let go when it ends") {
        Rig rig("hold");
        auto program = rig.load();
        Pair pair(rig);
        auto event = rig.submit(*program, pair.bindings());
        xrt_double::await("commands", 1);
        rig.close();
        drop(event, program, pair.in, pair.out, rig.queue, rig.context);
        CHECK(rig.alive() != 0);
        CHECK(xrt_double::count("blocked.destructor") == 0);
        xrt_double::release();
        until([&] { return rig.alive() == 0; });
    }
}

}  // namespace
}  // namespace xdna::test
