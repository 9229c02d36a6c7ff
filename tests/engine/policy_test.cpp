// SPDX-License-Identifier: MIT
//
// What an allocation has to be, and what it is charged: protocol.md 4.8 and 5.4.
#include <doctest/doctest.h>

#include "engine/odd_provider.hpp"

using namespace rig;
using provider::ErrorKind;
using wire::Status;
using Outcome = OddProvider::Outcome;

TEST_SUITE_BEGIN("engine/policy");

namespace {

constexpr std::uint64_t kLimit = 4096;

// What the rig asks for, granted as it should be.
provider::AllocationInfo honest(std::uint64_t bytes) {
    return {.desc = {.bytes = bytes,
                     .alignment = 16,
                     .domain = provider::MemoryDomain::Shared,
                     .usage = kAllUsage},
            .allocation_bytes = bytes,
            .alignment = 16,
            .properties = provider::kPropertyHostVisible | provider::kPropertyDirectBinding};
}

}  // namespace

TEST_CASE("an allocation that is not what was asked for is INCOMPATIBLE and released") {
    OddRig f;
    const std::uint64_t context = f.rig.context();
    const auto with = [&](auto change) {
        auto info = honest(64);
        change(info);
        f.odd->allocation = info;
        const Status status = f.rig.allocate(context, 64).status();
        return std::pair(status, f.rig.engine.live().buffers);
    };
    using provider::AllocationInfo;
    const std::pair refused{Status::Incompatible, std::uint64_t{0}};
    CHECK(with([](AllocationInfo& i) { i.desc.bytes = 128; }) == refused);
    CHECK(with([](AllocationInfo& i) { i.desc.usage = 1; }) == refused);
    CHECK(with([](AllocationInfo& i) { i.desc.domain = provider::MemoryDomain::Host; }) == refused);
    CHECK(with([](AllocationInfo& i) { i.allocation_bytes = 63; }) == refused);
    CHECK(with([](AllocationInfo& i) { i.alignment = 8; }) == refused);
    CHECK(with([](AllocationInfo& i) { i.alignment = 48; }) == refused);
    CHECK(with([](AllocationInfo& i) { i.properties = provider::kPropertyHostVisible; }) ==
          refused);
    CHECK(with([](AllocationInfo& i) { i.properties |= 1U << 3; }) == refused);
    CHECK(f.rig.engine.health() == engine::Health::Running);
    CHECK(with([](AllocationInfo& i) { i.allocation_bytes = 4096, i.alignment = 4096; }) ==
          std::pair{Status::Ok, std::uint64_t{1}});
}

TEST_CASE("a buffer is charged what it really takes, until it is released") {
    OddRig f({.max_buffer_bytes = kLimit, .max_program_bytes = 1});
    const std::uint64_t context = f.rig.context();
    f.odd->allocation = honest(64);
    f.odd->allocation->allocation_bytes = kLimit;
    const std::uint64_t buffer = f.rig.buffer(context, 64);
    CHECK(f.rig.engine.live().buffer_bytes == kLimit);
    f.odd->allocation.reset();
    CHECK(f.rig.allocate(context, 1).status() == Status::ResourceLimit);

    f.odd->free_outcome = Outcome::Rejected;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer).status() == Status::DeadlineExpired);
    CHECK(f.rig.engine.live().buffer_bytes == kLimit);
    CHECK(f.rig.engine.health() == engine::Health::Running);

    f.odd->free_outcome = Outcome::Success;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer).status() == Status::Ok);
    CHECK(f.rig.engine.live().buffer_bytes == 0);
    CHECK(f.rig.allocate(context, kLimit).status() == Status::Ok);
}

TEST_CASE("a release of unknown outcome moves the charge to quarantine and ends admission") {
    OddRig f;
    const std::uint64_t context = f.rig.context();
    const std::uint64_t buffer = f.rig.buffer(context, 64);
    f.odd->free_outcome = Outcome::Unknown;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer).status() == Status::DeviceLost);
    CHECK(f.rig.engine.live() == engine::Counts{.contexts = 1});
    CHECK(f.rig.engine.health() == engine::Health::DiscardRequired);
    const std::uint64_t calls = f.odd->calls;
    CHECK(f.rig.call(VIRTIO_ACCEL_OP_CREATE_CONTEXT, virtio_accel_create_context{}).status() ==
          Status::DeviceLost);
    const auto report = f.rig.engine.reset(2);
    REQUIRE(report);
    CHECK(report->disposition == engine::Disposition::Discard);
    CHECK(report->quarantined == engine::Counts{.contexts = 1, .buffers = 1, .buffer_bytes = 64});
    CHECK(f.odd->calls == calls);
}

TEST_CASE("an allocation that turns out to be over the policy is released, its id never shown") {
    OddRig f({.max_buffer_bytes = kLimit, .max_program_bytes = 1});
    const std::uint64_t context = f.rig.context();
    f.odd->allocation = honest(64);
    f.odd->allocation->allocation_bytes = kLimit + 1;
    const std::uint64_t calls = f.odd->calls;

    SUBCASE("and it is a plain refusal if the release is proven") {
        const Answer answer = f.rig.allocate(context, 64);
        CHECK(answer.status() == Status::ResourceLimit);
        CHECK(answer.used == 16);
        CHECK(f.odd->calls == calls + 2);  // allocated, released
        CHECK(f.rig.engine.live() == engine::Counts{.contexts = 1});
        CHECK(f.rig.engine.health() == engine::Health::Running);
    }
    SUBCASE("and DEVICE_LOST if it is not, and no more is admitted") {
        f.odd->free_outcome = Outcome::Rejected;
        SUBCASE("rejected") {}
        SUBCASE("unknown") {
            f.odd->free_outcome = Outcome::Unknown;
        }
        const Answer answer = f.rig.allocate(context, 64);
        CHECK(answer.status() == Status::DeviceLost);
        CHECK(answer.used == 16);
        CHECK(f.rig.engine.health() == engine::Health::DiscardRequired);
        CHECK(f.rig.allocate(context, 64).status() == Status::DeviceLost);
        CHECK(f.odd->calls == calls + 2);
        CHECK(f.rig.engine.reset(2)->quarantined ==
              engine::Counts{.contexts = 1, .buffers = 1, .buffer_bytes = kLimit + 1});
    }
}

TEST_SUITE_END();
