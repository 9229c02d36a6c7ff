// SPDX-License-Identifier: MIT
#include "worker/providers.hpp"

#include <doctest/doctest.h>

#include "engine/rig.hpp"
#include "provider/mock/mock.hpp"

using acceld::ProviderChoice;
using provider::ErrorKind;
using wire::Status;

TEST_SUITE_BEGIN("daemon/providers");

namespace {

std::unique_ptr<provider::Provider> open(const ProviderChoice& choice) {
    auto opened = acceld::open_provider(choice, {});
    REQUIRE(opened.has_value());
    return std::move(opened->provider);
}

ProviderChoice mock_with(std::string_view faults) {
    ProviderChoice choice{.name = "mock"};
    choice.mock.options.pending_polls = mock::kNever;
    choice.mock.faults = fault::Script::parse(faults).value();
    return choice;
}

std::uint16_t polled_state(rig::Rig& rig, std::uint64_t event) {
    const auto answer = rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, event);
    REQUIRE(answer.status() == Status::Ok);
    return answer.load<std::uint16_t>(16);
}

}  // namespace

TEST_CASE("the mock has the limits and the faults that were asked for, each instance anew") {
    ProviderChoice choice{.name = "mock"};
    choice.mock.options.max_buffer_bytes = 4096;
    choice.mock.options.max_artifact_bytes = 4000;
    choice.mock.faults = *fault::Script::parse("create_context:2:error-before:OutOfMemory");

    for (int instance = 0; instance < 2; ++instance) {
        const auto mock = open(choice);
        CHECK(mock->device_info().max_buffer_bytes == 4096);
        CHECK(mock->device_info().max_artifact_bytes == 4000);
        auto first = mock->create_context(0);
        REQUIRE(first.has_value());
        const auto second = mock->create_context(0);
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().kind == ErrorKind::OutOfMemory);
        CHECK(std::holds_alternative<provider::Released>(mock->destroy_context(std::move(*first))));
    }
}

TEST_CASE("without more words, the mock has no faults and its own limits") {
    const auto mock = open({.name = "mock"});
    CHECK(mock->device_info() == mock::Provider().device_info());
    for (int i = 0; i < 3; ++i) {
        auto context = mock->create_context(0);
        REQUIRE(context.has_value());
        CHECK(
            std::holds_alternative<provider::Released>(mock->destroy_context(std::move(*context))));
    }
}

// As in options.cpp; the traces themselves are replayed by tests/golden.
TEST_CASE("options stand for what happens beside the commands of the golden traces") {
    SUBCASE("complete_lifecycle: the second submission is complete at once") {
        rig::Rig rig(open(mock_with("poll_event:4:completion:complete")));
        const rig::Busy objects(rig);
        CHECK(polled_state(rig, objects.event) == VIRTIO_ACCEL_EVENT_PENDING);
        CHECK(rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, objects.event).status() == Status::Ok);
        CHECK(polled_state(rig, objects.event) == VIRTIO_ACCEL_EVENT_CANCELLED);
        CHECK(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, objects.event).status() == Status::Ok);
        const auto binding = rig::bind(objects.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        const auto again = rig.submit(objects.queue, objects.program, std::span(&binding, 1)).id();
        CHECK(polled_state(rig, again) == VIRTIO_ACCEL_EVENT_COMPLETE);
        CHECK(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, again).status() == Status::Ok);
    }
    SUBCASE("timeout: a submission is rejected") {
        rig::Rig rig(open(mock_with("submit:2:rejected:DeadlineExpired")));
        const rig::Busy objects(rig);
        const auto binding = rig::bind(objects.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        CHECK(rig.submit(objects.queue, objects.program, std::span(&binding, 1), 1'000'000)
                  .status() == Status::DeadlineExpired);
    }
    SUBCASE("indeterminate_recovery: two faults, and a third at the reset") {
        rig::Rig rig(
            open(mock_with("allocate_buffer:1:error-after:OutOfMemory,"
                           "submit:1:indeterminate:DeadlineExpired,"
                           "destroy_event:1:indeterminate:DeviceLost")));
        CHECK(rig.allocate(rig.context(), 64).status() == Status::OutOfMemory);
        const rig::Busy objects(rig);
        CHECK(polled_state(rig, objects.event) == VIRTIO_ACCEL_EVENT_PENDING);
        CHECK(rig.engine.reset(2)->disposition == engine::Disposition::Discard);
    }
    SUBCASE("device_loss: a poll fails") {
        rig::Rig rig(open(mock_with("poll_event:1:error-before:DeviceLost")));
        const rig::Busy objects(rig);
        CHECK(rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, objects.event).status() ==
              Status::DeviceLost);
    }
}

TEST_SUITE_END();
