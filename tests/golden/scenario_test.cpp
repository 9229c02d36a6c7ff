// SPDX-License-Identifier: MIT
//
// The nine golden scenarios through a real split ring, the engine and the mock. Every
// byte of every command is compared, and so is their order.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "golden/stage.hpp"

using namespace golden;
using driver::NotPopped;
using engine::Counts;
using engine::Disposition;
using engine::Health;

TEST_SUITE_BEGIN("golden/scenario");

namespace {

constexpr Counts kOneOfEach{1, 1, 1, 1, 1, 64, 64};

void check_same(std::span<const Entry> seen, std::span<const Entry> expected) {
    const auto differs = first_difference(seen, expected);
    CHECK_MESSAGE(!differs, "entry ", differs.value_or(0));
}

// The same, and a driver has no fault to find with any answer.
void check_good(std::span<const Entry> seen, std::span<const Entry> expected) {
    check_same(seen, expected);
    for (const Entry& entry : seen)
        CHECK(Stage::check(entry).has_value());
}

// The entries of `trace` in [from, to).
std::span<const Entry> part(const Trace& trace, std::size_t from, std::size_t to) {
    return std::span(trace).subspan(from, to - from);
}

}  // namespace

TEST_CASE("complete_lifecycle") {
    const Trace& trace = scenario("complete_lifecycle").trace;
    Stage stage;
    Trace seen = stage.play(part(trace, 0, 13));
    stage.accelerator().complete_immediately();
    for (const Entry& entry : part(trace, 13, trace.size()))
        seen.push_back(stage.play(entry));

    check_good(seen, trace);
    CHECK(stage.guest().device.engine().live() == Counts{});
    std::set<std::uint16_t> opcodes;
    for (const Entry& entry : trace)
        opcodes.insert(entry.opcode);
    CHECK(opcodes.size() == 15);
    CHECK(std::ranges::any_of(
        trace, [](const Entry& e) { return e.readable.size() > 1 && e.writable.size() > 1; }));
}

TEST_CASE("out_of_order") {
    const Trace& trace = scenario("out_of_order").trace;
    Stage stage;
    REQUIRE(stage.publish(trace[1]));  // id 1 goes first and is answered last
    REQUIRE(stage.publish(trace[0]));
    const auto first = stage.take();
    const auto second = stage.take();
    CHECK(stage.guest().pop().error() == NotPopped::Empty);
    stage.serve(second);
    Trace seen{stage.collect()};
    CHECK(stage.guest().pop().error() == NotPopped::Empty);
    stage.serve(first);
    seen.push_back(stage.collect());

    check_good(seen, trace);
}

TEST_CASE("backpressure") {
    const Trace& trace = scenario("backpressure").trace;
    Stage stage({}, 4, 4);
    REQUIRE(stage.publish(trace[0]));
    REQUIRE(stage.publish(trace[1]));
    CHECK_FALSE(stage.publish(trace[1]));
    CHECK(stage.guest().ring.memory().available_index() == 2);
    stage.serve(stage.take());
    stage.serve(stage.take());
    CHECK(stage.guest().device.service() == 0);
    const Trace seen{stage.collect(), stage.collect()};

    check_good(seen, trace);
    CHECK(stage.play(trace[0]) == trace[0]);  // there is room again
}

TEST_CASE("notification_suppression") {
    const Trace& trace = scenario("notification_suppression").trace;
    Stage stage;
    driver::Guest& guest = stage.guest();
    guest.device.refuse_kicks();
    REQUIRE(stage.publish(trace[0]));
    CHECK_FALSE(guest.ring.kick_wanted());
    // The control says "before" but belongs behind the driver's refusal (protocol.md 10).
    guest.ring.refuse_interrupts();
    stage.serve(stage.take());
    CHECK(guest.device.suppressed() == 1);
    CHECK(guest.device.interrupts() == 0);
    CHECK_FALSE(guest.ring.accept_interrupts());
    const Trace seen{stage.collect()};

    check_good(seen, trace);
    CHECK(guest.ring.accept_interrupts());
    CHECK(guest.device.accept_kicks());
}

TEST_CASE("short_response") {
    const Trace& trace = scenario("short_response").trace;
    Stage stage;
    REQUIRE(stage.publish(trace[0]));
    stage.serve(stage.take(), 1);
    const Trace seen{stage.collect()};

    check_same(seen, trace);
    const auto checked = Stage::check(seen[0]);
    REQUIRE_FALSE(checked.has_value());
    CHECK(checked.error().defect == driver::Defect::PayloadBytes);
}

TEST_CASE("timeout") {
    const Trace& trace = scenario("timeout").trace;
    Stage stage;
    Trace seen = stage.play(part(trace, 0, 5));
    stage.accelerator().refuses_deadlines = true;
    for (const Entry& entry : part(trace, 5, trace.size()))
        seen.push_back(stage.play(entry));

    check_good(seen, trace);
    CHECK(stage.guest().device.engine().live() == Counts{});
}

TEST_CASE("indeterminate_recovery") {
    const Trace& trace = scenario("indeterminate_recovery").trace;
    // The third fault is not in the scenario, but its report needs it (protocol.md 10).
    const std::string_view listed =
        "allocate_buffer:1:error-after:OutOfMemory,submit:1:indeterminate:DeadlineExpired";
    const std::string hidden = std::string(listed) + ",destroy_event:1:indeterminate:DeviceLost";

    Stage stage(hidden);
    const Trace seen = stage.play(trace);
    check_good(seen, trace);
    CHECK(Stage::check(seen.back())->indeterminate());
    CHECK(stage.guest().device.engine().health() == Health::Running);
    const engine::ResetReport discarded{Disposition::Discard, {}, kOneOfEach};
    CHECK(stage.guest().reset() == discarded);
    CHECK(stage.guest().device.needs_reset());
    CHECK(stage.guest().reset() == discarded);

    Stage without(listed);
    check_good(without.play(trace), trace);
    CHECK(without.guest().reset() == engine::ResetReport{Disposition::Reusable, kOneOfEach, {}});
}

TEST_CASE("reset_inflight") {
    const Trace& trace = scenario("reset_inflight").trace;
    Stage stage;
    driver::Guest& guest = stage.guest();
    Trace seen = stage.play(part(trace, 0, 6));
    const std::uint64_t event = Stage::check(seen[5])->object;
    const auto poll = driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, 7, event).bytes();
    REQUIRE(guest.publish(poll, {{24}, {24}}).has_value());

    CHECK(guest.reset() == engine::ResetReport{Disposition::Reusable, kOneOfEach, {}});
    CHECK(guest.reclaimed == 1);
    CHECK(guest.ring.memory().used_index() == 0);
    CHECK(guest.device.service() == 0);
    CHECK(guest.ring.free_descriptors() == 32);
    seen.push_back(stage.play(trace[6]));

    check_good(seen, trace);
    CHECK(seen[6].request_id == 1);
    CHECK(guest.call(driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, 2, event)).status() ==
          wire::Status::StaleObject);
}

TEST_CASE("device_loss") {
    const Trace& trace = scenario("device_loss").trace;
    Stage stage("poll_event:1:error-before:DeviceLost");
    const Trace seen = stage.play(trace);

    check_good(seen, trace);
    CHECK(Stage::check(seen.back())->lost());
    CHECK(stage.guest().device.engine().health() == Health::DiscardRequired);
    CHECK(stage.guest().device.needs_reset());
    CHECK(stage.guest().call(driver::get_device_info(8)).status() == wire::Status::DeviceLost);
}

TEST_CASE("a comparison notices every kind of difference") {
    const Trace& trace = scenario("complete_lifecycle").trace;
    const auto differs = [&](auto change) {
        Trace other = trace;
        change(other);
        return first_difference(other, trace).has_value();
    };
    CHECK_FALSE(differs([](Trace&) {}));
    CHECK(differs([](Trace& t) { t[8].status = 0; }));
    CHECK(differs([](Trace& t) { --t[0].used; }));
    CHECK(differs([](Trace& t) { t[3].readable = {8, 32, 8}; }));
    CHECK(differs([](Trace& t) { t[3].writable.push_back(1); }));
    CHECK(differs([](Trace& t) { t[3].request.back() ^= std::byte{1}; }));
    CHECK(differs([](Trace& t) { t[4].response.back() ^= std::byte{1}; }));
    CHECK(differs([](Trace& t) { t[4].opcode = 1; }));
    CHECK(differs([](Trace& t) { t[4].request_id = 9; }));
    CHECK(differs([](Trace& t) { std::swap(t[0], t[1]); }));
    CHECK(differs([](Trace& t) { t.pop_back(); }));
    CHECK(differs([](Trace& t) { t.push_back(t[0]); }));
}

TEST_SUITE_END();
