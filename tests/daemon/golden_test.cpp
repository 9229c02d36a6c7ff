// SPDX-License-Identifier: MIT
//
// The nine golden scenarios through the real program and its socket. The options stand for
// what happens beside the commands (daemon/options.cpp).
#include <algorithm>
#include <map>

#include <doctest/doctest.h>

#include "daemon/vm.hpp"
#include "golden/trace.hpp"

using namespace daemon_test;
using golden::Entry;
using golden::Trace;
using vhost::Request;
using wire::Status;

TEST_SUITE_BEGIN("daemon/golden");

namespace {

// The environment of protocol.md 6.4.
std::vector<std::string> options(const std::string& faults, const std::string& max_chain) {
    std::vector<std::string> all{
        "--mock-limits",           "4096,4000", "--mock-polls",         "never",
        "--max-request-bytes",     "4096",      "--max-response-bytes", "4096",
        "--max-chain-descriptors", max_chain};
    if (!faults.empty()) all.insert(all.end(), {"--fault", faults});
    return all;
}

class Stage {
 public:
    explicit Stage(const std::string& faults = {}, std::uint16_t ring_size = 32,
                   const std::string& max_chain = "8")
        : daemon_(options(faults, max_chain)), vm(daemon_.connect(), ring_size) {
        vm.start();
    }

    [[nodiscard]] bool publish(const Entry& entry) {
        const auto head = vm.publish(entry.request, {entry.readable, entry.writable});
        if (head) published_[*head] = entry;
        return head.has_value();
    }
    // What was seen of a command that has ended.
    Entry seen(const std::optional<Vm::Completion>& done) {
        REQUIRE(done.has_value());
        Entry entry = published_.extract(done->head).mapped();
        const driver::Answer& answer = done->answer;
        REQUIRE(answer.used >= 16);
        entry.used = answer.used;
        entry.status = static_cast<std::uint16_t>(answer.status());
        entry.request_id = answer.request_id();
        entry.response.assign(answer.response().begin(), answer.response().end());
        CHECK(answer.rest_untouched());
        return entry;
    }
    Entry play(const Entry& entry) {
        REQUIRE(publish(entry));
        vm.kick();
        return seen(vm.collect());
    }
    Trace play(std::span<const Entry> entries) {
        Trace trace;
        for (const Entry& entry : entries)
            trace.push_back(play(entry));
        return trace;
    }
    // As a guest does it; returns how many chains were reclaimed.
    std::uint16_t reset() {
        vm.stop_ring();
        const std::uint16_t reclaimed = vm.ring.restart();
        vm.start_ring();
        return reclaimed;
    }

 private:
    Daemon daemon_;
    std::map<std::uint16_t, Entry> published_;  // by head

 public:
    Vm vm;
};

void check_same(std::span<const Entry> seen, std::span<const Entry> expected) {
    const auto differs = golden::first_difference(seen, expected);
    CHECK_MESSAGE(!differs, "entry ", differs.value_or(0));
}

// The object that an answer names.
std::uint64_t object_of(const Entry& entry) {
    return driver::Answer{entry.used, entry.response}.id();
}

}  // namespace

TEST_CASE("complete_lifecycle") {
    const Trace& trace = golden::scenario("complete_lifecycle").trace;
    Stage stage("poll_event:4:completion:complete");
    check_same(stage.play(trace), trace);
}

TEST_CASE("out_of_order") {
    Trace trace = golden::scenario("out_of_order").trace;
    Stage stage;
    REQUIRE(stage.publish(trace[1]));  // id 1 goes first
    REQUIRE(stage.publish(trace[0]));
    stage.vm.kick();
    // In which order they are answered is for the scheduler to say.
    Trace seen{stage.seen(stage.vm.collect()), stage.seen(stage.vm.collect())};
    std::ranges::sort(seen, {}, &Entry::request_id);
    std::ranges::sort(trace, {}, &Entry::request_id);
    check_same(seen, trace);
}

TEST_CASE("backpressure") {
    const Trace& trace = golden::scenario("backpressure").trace;
    Stage stage({}, 4, "4");
    REQUIRE(stage.publish(trace[0]));
    REQUIRE(stage.publish(trace[1]));
    CHECK_FALSE(stage.publish(trace[1]));
    stage.vm.kick();
    const Trace seen{stage.seen(stage.vm.collect()), stage.seen(stage.vm.collect())};
    check_same(seen, trace);
}

TEST_CASE("notification_suppression") {
    const Trace& trace = golden::scenario("notification_suppression").trace;
    Stage stage;
    stage.vm.ring.refuse_interrupts();
    REQUIRE(stage.publish(trace[0]));
    stage.vm.kick();
    check_same(Trace{stage.seen(stage.vm.look())}, trace);
    stage.vm.stop_ring();
    CHECK(vhost_test::drain(stage.vm.call_fd) == 0);
}

// A device that tells the truth: one byte more than the scenario's.
TEST_CASE("short_response") {
    Trace trace = golden::scenario("short_response").trace;
    Stage stage;
    Entry seen = stage.play(trace[0]);
    CHECK(seen.used == trace[0].used + 1);
    seen.response.resize(--seen.used);
    check_same(Trace{seen}, trace);
}

TEST_CASE("timeout") {
    const Trace& trace = golden::scenario("timeout").trace;
    Stage stage("submit:1:rejected:DeadlineExpired");
    check_same(stage.play(trace), trace);
}

TEST_CASE("indeterminate_recovery") {
    const Trace& trace = golden::scenario("indeterminate_recovery").trace;
    Stage stage(
        "allocate_buffer:1:error-after:OutOfMemory,submit:1:indeterminate:DeadlineExpired,"
        "destroy_event:1:indeterminate:DeviceLost");
    check_same(stage.play(trace), trace);
    stage.reset();
    CHECK(stage.vm.call(driver::get_device_info(1)).status() == Status::Ok);
}

TEST_CASE("reset_inflight") {
    const Trace& trace = golden::scenario("reset_inflight").trace;
    Stage stage;
    Trace seen = stage.play(std::span(trace).first(6));
    const std::uint64_t event = object_of(seen.back());
    const auto poll = driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, 7, event).bytes();
    // Nobody kicks for it.
    REQUIRE(stage.vm.publish(poll, {{24}, {24}}).has_value());

    CHECK(stage.reset() == 1);
    seen.push_back(stage.play(trace[6]));
    check_same(seen, trace);
    CHECK(stage.vm.call(driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, 2, event)).status() ==
          Status::StaleObject);
}

TEST_CASE("device_loss") {
    const Trace& trace = golden::scenario("device_loss").trace;
    Stage stage("poll_event:1:error-before:DeviceLost");
    check_same(stage.play(trace), trace);
    CHECK(stage.vm.call(driver::get_device_info(8)).status() == Status::DeviceLost);
    stage.reset();
    CHECK(stage.vm.call(driver::get_device_info(1)).status() == Status::Ok);
}

TEST_SUITE_END();
