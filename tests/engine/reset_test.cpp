// SPDX-License-Identifier: MIT
//
// The reset pass and device health: protocol.md 5.7 and 5.8.
#include <doctest/doctest.h>

#include "engine/rig.hpp"

using namespace rig;
using wire::Status;

namespace {

// A mock that misbehaves in one chosen way.
class Faulty final : public mock::Provider {
 public:
    enum class Fault { None, PollLost, CancelFails, ReleaseUnknown, ReleaseRejected };
    Fault fault = Fault::None;

    provider::Result<provider::EventState> poll_event(provider::Event& event) override {
        if (fault == Fault::PollLost) return std::unexpected(provider::ErrorKind::DeviceLost);
        return mock::Provider::poll_event(event);
    }
    provider::Result<void> cancel_event(provider::Event& event) override {
        if (fault == Fault::CancelFails) return std::unexpected(provider::ErrorKind::External);
        return mock::Provider::cancel_event(event);
    }
    provider::ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override {
        if (fault == Fault::ReleaseUnknown)
            return provider::ReleaseUnknown{provider::ErrorKind::DeadlineExpired};
        if (fault == Fault::ReleaseRejected)
            return provider::ReleaseRejected<provider::Event>{provider::ErrorKind::OutOfMemory,
                                                              std::move(event)};
        return mock::Provider::destroy_event(std::move(event));
    }
};

struct FaultyRig {
    Faulty* faulty = nullptr;
    Rig rig;
    FaultyRig() : FaultyRig(std::make_unique<Faulty>()) {}

 private:
    explicit FaultyRig(std::unique_ptr<Faulty> owned)
        : faulty(owned.get()), rig(std::move(owned)) {}
};

constexpr engine::Counts kOneOfEach{1, 1, 1, 1, 1, 64, 64};

}  // namespace

TEST_SUITE_BEGIN("engine/reset");

TEST_CASE("a reset releases everything, pending events included, and kills every id") {
    Rig rig;
    const Busy objects(rig);
    const auto report = rig.engine.reset(2);
    REQUIRE(report);
    CHECK(report->disposition == engine::Disposition::Reusable);
    CHECK(report->released == kOneOfEach);
    CHECK(report->quarantined == engine::Counts{});
    CHECK(rig.engine.live() == engine::Counts{});
    CHECK(rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, objects.event).status() == Status::StaleObject);
    CHECK(rig.context() == 0x0002000100000001);
}

TEST_CASE("a namespace is never used twice in a row") {
    Rig rig;
    const Busy objects(rig);
    CHECK_FALSE(rig.engine.reset(1));
    CHECK_FALSE(rig.engine.reset(0));
    CHECK(rig.engine.live() == kOneOfEach);
    CHECK(rig.engine.health() == engine::Health::Running);
}

TEST_CASE("a lost device answers DEVICE_LOST to every well-formed command, and only to those") {
    FaultyRig f;
    const Busy objects(f.rig);
    f.faulty->fault = Faulty::Fault::PollLost;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, objects.event).status() ==
          Status::DeviceLost);
    f.faulty->fault = Faulty::Fault::None;
    CHECK(f.rig.engine.health() == engine::Health::DiscardRequired);
    CHECK(f.rig.send(frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1)).status() == Status::DeviceLost);
    CHECK(f.rig.send(frame(0xDEAD, 1)).status() == Status::Unsupported);
    CHECK(f.rig.send(frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1), 91).used == 0);

    const auto report = f.rig.engine.reset(2);
    REQUIRE(report);
    CHECK(report->disposition == engine::Disposition::Discard);
    CHECK(report->released == engine::Counts{});
    CHECK(report->quarantined == kOneOfEach);
    CHECK(f.rig.engine.reset(3) == report);
}

TEST_CASE(
    "an unknown release answers DEVICE_LOST, whatever the provider's error, and quarantines") {
    FaultyRig f;
    const Busy objects(f.rig);
    REQUIRE(f.rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, objects.event).status() == Status::Ok);
    f.faulty->fault = Faulty::Fault::ReleaseUnknown;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, objects.event).status() ==
          Status::DeviceLost);
    CHECK(f.rig.engine.live().events == 0);
    CHECK(f.rig.engine.health() == engine::Health::DiscardRequired);
    CHECK(f.rig.engine.reset(2)->quarantined == kOneOfEach);
}

TEST_CASE("a rejected release keeps the object, its id and its references") {
    FaultyRig f;
    const Busy objects(f.rig);
    REQUIRE(f.rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, objects.event).status() == Status::Ok);
    f.faulty->fault = Faulty::Fault::ReleaseRejected;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, objects.event).status() ==
          Status::OutOfMemory);
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, objects.buffer).status() == Status::Busy);
    f.faulty->fault = Faulty::Fault::None;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, objects.event).status() == Status::Ok);
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, objects.buffer).status() == Status::Ok);
}

TEST_CASE("what an unreleased event holds is quarantined, unrelated objects are still released") {
    FaultyRig f;
    const Busy held(f.rig);
    const std::uint64_t other = f.rig.context();
    REQUIRE(f.rig.buffer(other, 32) != 0);
    f.faulty->fault = Faulty::Fault::CancelFails;
    const auto report = f.rig.engine.reset(2);
    REQUIRE(report);
    CHECK(report->disposition == engine::Disposition::Discard);
    CHECK(report->released == engine::Counts{1, 1, 0, 0, 0, 32, 0});
    CHECK(report->quarantined == kOneOfEach);
}

TEST_SUITE_END();
