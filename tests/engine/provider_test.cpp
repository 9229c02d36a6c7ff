// SPDX-License-Identifier: MIT
//
// What reaches the provider, and what the engine makes of its answers: protocol.md 4.6 to
// 4.8 and 5.
#include <array>
#include <string_view>

#include <doctest/doctest.h>

#include "engine/odd_provider.hpp"

using namespace rig;
using provider::ErrorKind;
using wire::Status;
using Outcome = OddProvider::Outcome;

TEST_SUITE_BEGIN("engine/provider");

TEST_CASE("a device info that breaks a rule makes no engine") {
    const auto refusal = [](auto change) {
        auto provider = std::make_unique<OddProvider>();
        change(provider->info);
        const auto made = engine::Engine::create({}, std::move(provider), {});
        return made ? std::string_view("none") : engine::name(made.error());
    };
    using engine::CreateError;
    using engine::name;
    using provider::DeviceInfo;
    CHECK(refusal([](DeviceInfo&) {}) == "none");
    CHECK(refusal([](DeviceInfo& i) { i.capabilities |= 1U << 3; }) ==
          name(CreateError::ReservedCapability));
    CHECK(refusal([](DeviceInfo& i) { i.capabilities |= 1U << 4; }) ==
          name(CreateError::ReservedCapability));
    CHECK(refusal([](DeviceInfo& i) { i.capabilities |= 1ULL << 40; }) == "none");
    CHECK(refusal([](DeviceInfo& i) { i.capabilities = provider::kCapEventCancellation; }) ==
          name(CreateError::NoMemoryDomain));
    for (const auto limit :
         {&DeviceInfo::max_contexts, &DeviceInfo::max_buffers_per_context,
          &DeviceInfo::max_programs_per_context, &DeviceInfo::max_queues_per_context,
          &DeviceInfo::max_events_per_context, &DeviceInfo::max_bindings_per_submission})
        CHECK(refusal([limit](DeviceInfo& i) { i.*limit = 0; }) == name(CreateError::ZeroLimit));
    for (const auto limit : {&DeviceInfo::max_buffer_bytes, &DeviceInfo::max_artifact_bytes})
        CHECK(refusal([limit](DeviceInfo& i) { i.*limit = 0; }) == name(CreateError::ZeroLimit));
    CHECK(refusal([](DeviceInfo& i) { i.max_bindings_per_submission = 4096; }) == "none");
    CHECK(refusal([](DeviceInfo& i) { i.max_bindings_per_submission = 4097; }) ==
          name(CreateError::BindingLimit));
    CHECK_FALSE(engine::Engine::create({}, std::make_unique<OddProvider>(), {0, 1}));
    CHECK_FALSE(engine::Engine::create({}, std::make_unique<OddProvider>(), {1, 0}));
}

TEST_CASE("GET_DEVICE_INFO says the same at every time, and asks nobody") {
    OddRig f;
    const Bytes request = frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1);
    const Answer first = f.rig.send(request);
    const Busy busy(f.rig);
    const std::uint64_t calls = f.odd->calls;
    CHECK(f.rig.send(request).written == first.written);
    CHECK(f.odd->calls == calls);
    REQUIRE(f.rig.engine.reset(2)->disposition == engine::Disposition::Reusable);
    CHECK(f.rig.send(request).written == first.written);
}

TEST_CASE("what is refused before the provider does not reach it") {
    auto weak = std::make_unique<OddProvider>();
    weak->info.capabilities = provider::kCapSharedMemory;
    OddRig f(std::move(weak));
    const Busy one(f.rig);
    const Busy two(f.rig);
    const std::uint64_t spare = f.rig.buffer(one.context, 8);
    const auto live = f.rig.engine.live();
    const auto refused = [&, before = f.odd->calls](Status expected, const Answer& answer) {
        CHECK(answer.status() == expected);
        CHECK(answer.used == 16);
        CHECK(answer.rest_untouched());
        CHECK(f.odd->calls == before);
    };

    SUBCASE("unknown and flagged commands") {
        refused(Status::Unsupported, f.rig.send(frame(0x0600, 1)));
        Bytes no_wait = frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1);
        no_wait[2] = std::byte{1};
        refused(Status::Unsupported, f.rig.send(no_wait));
        refused(Status::Unsupported,
                f.rig.call(VIRTIO_ACCEL_OP_CREATE_CONTEXT, virtio_accel_create_context{1, 0}));
        refused(Status::Unsupported, f.rig.call(VIRTIO_ACCEL_OP_CREATE_QUEUE,
                                                virtio_accel_create_queue{one.context, 1, 0}));
        refused(Status::Unsupported,
                f.rig.call(VIRTIO_ACCEL_OP_SUBMIT,
                           virtio_accel_submit{one.queue, one.program, 1, 1, 0}));
        virtio_accel_load_program load{};
        load.context_id = one.context;
        load.flags = 1;
        refused(Status::Unsupported, f.rig.call(VIRTIO_ACCEL_OP_LOAD_PROGRAM, load));
    }
    SUBCASE("payloads that are too long, too short or followed by something") {
        refused(Status::InvalidArgument, f.rig.call(VIRTIO_ACCEL_OP_CREATE_CONTEXT,
                                                    virtio_accel_create_context{}, Bytes(1)));
        refused(Status::InvalidArgument,
                f.rig.call(VIRTIO_ACCEL_OP_CREATE_QUEUE, virtio_accel_object{one.context}));
        refused(Status::InvalidArgument,
                f.rig.call(VIRTIO_ACCEL_OP_WRITE_BUFFER, virtio_accel_transfer{one.buffer, 0, 2},
                           Bytes(1)));
        refused(Status::InvalidArgument,
                f.rig.call(VIRTIO_ACCEL_OP_WRITE_BUFFER, virtio_accel_transfer{one.buffer, 0, 2},
                           Bytes(3)));
        refused(Status::InvalidArgument,
                f.rig.call(VIRTIO_ACCEL_OP_READ_BUFFER, virtio_accel_transfer{one.buffer, 0, 2},
                           Bytes(2)));
        refused(Status::InvalidArgument,
                f.rig.call(VIRTIO_ACCEL_OP_SUBMIT,
                           virtio_accel_submit{one.queue, one.program, 1, 0, 0}, Bytes(33)));
    }
    SUBCASE("ranges that are empty or overflow") {
        for (const auto& [offset, bytes] : {std::pair{0ULL, 0ULL}, std::pair{~0ULL, 1ULL}}) {
            refused(Status::InvalidArgument, f.rig.read(one.buffer, offset, bytes));
            const auto binding = bind(one.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, offset, bytes);
            refused(Status::InvalidArgument,
                    f.rig.submit(one.queue, one.program, std::span(&binding, 1)));
        }
    }
    SUBCASE("ranges past the buffer") {
        refused(Status::OutOfBounds, f.rig.read(spare, 8, 1));
        refused(Status::OutOfBounds, f.rig.read(spare, 0, 9));
        refused(Status::OutOfBounds, f.rig.write(spare, 1, Bytes(8)));
        const auto past = bind(spare, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 1, 8);
        refused(Status::OutOfBounds, f.rig.submit(one.queue, one.program, std::span(&past, 1)));
    }
    SUBCASE("domains and cancellation without their capability") {
        for (const __u8 domain :
             std::array<__u8, 2>{VIRTIO_ACCEL_DOMAIN_HOST, VIRTIO_ACCEL_DOMAIN_DEVICE})
            refused(Status::Unsupported,
                    f.rig.call(
                        VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
                        virtio_accel_allocate_buffer{one.context, 8, 1, domain, {}, kAllUsage, 0}));
        refused(Status::Unsupported, f.rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, one.event));
        refused(Status::Unsupported, f.rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, 0xFFFF));
    }
    SUBCASE("objects of different contexts") {
        const auto own = bind(one.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        const auto foreign = bind(two.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        refused(Status::StaleObject, f.rig.submit(one.queue, two.program, std::span(&own, 1)));
        refused(Status::StaleObject, f.rig.submit(one.queue, one.program, std::span(&foreign, 1)));
    }
    SUBCASE("what is in use") {
        refused(Status::Busy, f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, one.context));
        refused(Status::Busy, f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, one.buffer));
        refused(Status::Busy, f.rig.on_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, one.program));
        refused(Status::Busy, f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, one.queue));
    }
    CHECK(f.rig.engine.live() == live);
}

TEST_CASE("each error of the provider has its status") {
    using Pair = std::pair<ErrorKind, Status>;
    for (const auto& [error, status] :
         {Pair{ErrorKind::Unsupported, Status::Unsupported},
          Pair{ErrorKind::Incompatible, Status::Incompatible},
          Pair{ErrorKind::InvalidArgument, Status::InvalidArgument},
          Pair{ErrorKind::OutOfBounds, Status::OutOfBounds}, Pair{ErrorKind::Busy, Status::Busy},
          Pair{ErrorKind::OutOfMemory, Status::OutOfMemory},
          Pair{ErrorKind::ResourceLimit, Status::ResourceLimit},
          Pair{ErrorKind::DeadlineExpired, Status::DeadlineExpired},
          Pair{ErrorKind::PermissionDenied, Status::PermissionDenied},
          Pair{ErrorKind::External, Status::InternalError},
          Pair{ErrorKind::DeviceLost, Status::DeviceLost}}) {
        CAPTURE(static_cast<int>(status));
        OddRig f;
        const Busy busy(f.rig);
        f.odd->error = error;
        CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, busy.event).status() == status);
        const bool lost = error == ErrorKind::DeviceLost;
        CHECK((f.rig.engine.health() == engine::Health::DiscardRequired) == lost);
    }
}

TEST_CASE("a creation that the provider refuses leaves nothing") {
    OddRig f;
    const std::uint64_t context = f.rig.context();
    const auto live = f.rig.engine.live();
    f.odd->error = ErrorKind::OutOfMemory;
    CHECK(f.rig.call(VIRTIO_ACCEL_OP_CREATE_CONTEXT, virtio_accel_create_context{}).status() ==
          Status::OutOfMemory);
    CHECK(f.rig.allocate(context, 64).status() == Status::OutOfMemory);
    CHECK(f.rig.load(context, {}).status() == Status::OutOfMemory);
    CHECK(f.rig.call(VIRTIO_ACCEL_OP_CREATE_QUEUE, virtio_accel_create_queue{context, 0, 0})
              .status() == Status::OutOfMemory);
    CHECK(f.rig.engine.live() == live);
    f.odd->error.reset();
    CHECK(f.rig.buffer(context, 64) == 0x0001000200000001);  // the first slot, unused so far
}

TEST_CASE("a read that fails publishes no payload") {
    OddRig f;
    const std::uint64_t buffer = f.rig.buffer(f.rig.context(), 64);
    f.odd->error = ErrorKind::External;
    const Answer answer = f.rig.read(buffer, 0, 64);
    CHECK(answer.status() == Status::InternalError);
    CHECK(answer.used == 16);
    CHECK(answer.load<std::uint32_t>(4) == 0);
}

TEST_CASE("bindings reach the provider in the order of their slots") {
    OddRig f;
    const Busy busy(f.rig);
    const auto read = [&](std::uint32_t slot) {
        return bind(busy.buffer, slot, VIRTIO_ACCEL_ACCESS_READ, 0, 8);
    };
    const std::array bindings{read(9), read(0xFFFFFFFF), read(2)};
    CHECK(f.rig.submit(busy.queue, busy.program, bindings).status() == Status::Incompatible);
    CHECK(f.odd->slots == std::vector<std::uint32_t>{2, 9, 0xFFFFFFFF});
}

TEST_CASE("a rejected submission holds nothing") {
    OddRig f;
    const Busy busy(f.rig);
    REQUIRE(f.rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, busy.event).status() == Status::Ok);
    REQUIRE(f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, busy.event).status() == Status::Ok);
    const auto binding = bind(busy.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
    f.odd->submit_outcome = Outcome::Rejected;
    const Answer answer = f.rig.submit(busy.queue, busy.program, std::span(&binding, 1), 1000);
    CHECK(answer.status() == Status::DeadlineExpired);
    CHECK(answer.used == 16);
    CHECK(f.rig.engine.live().events == 0);
    for (const auto& [opcode, object] : {std::pair{VIRTIO_ACCEL_OP_DESTROY_QUEUE, busy.queue},
                                         std::pair{VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, busy.program},
                                         std::pair{VIRTIO_ACCEL_OP_FREE_BUFFER, busy.buffer},
                                         std::pair{VIRTIO_ACCEL_OP_DESTROY_CONTEXT, busy.context}})
        CHECK(f.rig.on_object(static_cast<std::uint16_t>(opcode), object).status() == Status::Ok);
}

TEST_CASE("a submission of unknown fate answers its status and an event that owns everything") {
    OddRig f;
    const Busy busy(f.rig);
    const std::uint64_t buffer = f.rig.buffer(busy.context, 16);
    const auto binding = bind(buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
    f.odd->submit_outcome = Outcome::Unknown;
    const Answer answer = f.rig.submit(busy.queue, busy.program, std::span(&binding, 1), 1000);
    CHECK(answer.status() == Status::DeadlineExpired);
    REQUIRE(answer.used == 24);
    CHECK(answer.rest_untouched());
    CHECK(f.rig.engine.health() == engine::Health::Running);
    CHECK(f.rig.engine.live().events == 2);
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer).status() == Status::Busy);
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, answer.id()).status() == Status::Busy);

    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, answer.id()).status() == Status::Ok);
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, answer.id()).status() == Status::Ok);
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer).status() == Status::Ok);
}

TEST_CASE("a submission of unknown fate on a lost device keeps its event and ends admission") {
    OddRig f;
    const Busy busy(f.rig);
    const auto binding = bind(busy.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
    f.odd->submit_outcome = Outcome::Unknown;
    f.odd->outcome_error = ErrorKind::DeviceLost;
    const Answer answer = f.rig.submit(busy.queue, busy.program, std::span(&binding, 1));
    CHECK(answer.status() == Status::DeviceLost);
    CHECK(answer.used == 24);
    CHECK(f.rig.engine.live().events == 2);
    CHECK(f.rig.engine.health() == engine::Health::DiscardRequired);
    const std::uint64_t calls = f.odd->calls;
    CHECK(f.rig.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, answer.id()).status() == Status::DeviceLost);
    REQUIRE(f.rig.engine.reset(2)->disposition == engine::Disposition::Discard);
    CHECK(f.odd->calls == calls);
}

TEST_SUITE_END();
