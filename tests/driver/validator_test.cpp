// SPDX-License-Identifier: MIT
#include "driver/validator.hpp"

#include <array>
#include <functional>

#include <doctest/doctest.h>

#include "driver/opcodes.hpp"

using driver::Defect;
using driver::Expected;
using driver::Handle;

TEST_SUITE_BEGIN("driver/validator");

namespace {

constexpr std::uint64_t kId = 0x0102030405060708;

template <wire::Packed... Payload>
driver::Bytes response(std::uint16_t status, const Payload&... payload) {
    driver::Bytes bytes;
    const auto append = [&](const auto& part) {
        const auto raw = wire::to_bytes(part);
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    };
    append(virtio_accel_response_header{.status = status,
                                        .flags = 0,
                                        .payload_bytes = (0 + ... + sizeof(Payload)),
                                        .request_id = kId});
    (append(payload), ...);
    return bytes;
}

// The response in two pieces, cut at `split`, in more room than it needs.
auto check(const Expected& expected, driver::Bytes bytes, std::uint32_t used,
           std::size_t split = 7) {
    bytes.resize(bytes.size() + 8);
    const std::array pieces{std::span<const std::byte>(bytes).first(split),
                            std::span<const std::byte>(bytes).subspan(split)};
    wire::Reader written(pieces);
    return driver::Validator(4096).check(expected, written, used);
}

auto check(const Expected& expected, const driver::Bytes& bytes) {
    return check(expected, bytes, static_cast<std::uint32_t>(bytes.size()));
}

Defect defect(const Expected& expected, const driver::Bytes& bytes) {
    const auto checked = check(expected, bytes);
    REQUIRE_FALSE(checked.has_value());
    return checked.error().defect;
}

virtio_accel_device_info good_info() {
    return {.uuid = {},
            .device_class = 77,  // unknown classes are legal
            .reserved = 0,
            .vendor_id = 0,
            .device_id = 0,
            .capabilities = VIRTIO_ACCEL_CAP_SHARED_MEMORY | 1ULL << 63,
            .max_contexts = 1,
            .max_buffers_per_context = 1,
            .max_programs_per_context = 1,
            .max_queues_per_context = 1,
            .max_events_per_context = 1,
            .max_bindings_per_submission = 4096,
            .max_buffer_bytes = 1,
            .max_artifact_bytes = 1ULL << 40};
}

}  // namespace

TEST_CASE("every failure of every command is an answer, if it carries nothing") {
    for (const std::uint16_t opcode : driver::kOpcodes) {
        for (std::uint32_t status = 1; status <= 0xffff; ++status) {
            const auto value = static_cast<std::uint16_t>(status);
            const auto checked = check({opcode, kId}, response(value));
            REQUIRE(checked.has_value());
            REQUIRE(checked->status == value);
            REQUIRE_FALSE(checked->ok());
            REQUIRE_FALSE(checked->indeterminate());
            REQUIRE(checked->lost() == (value == VIRTIO_ACCEL_S_DEVICE_LOST));
        }
        if (opcode == VIRTIO_ACCEL_OP_SUBMIT) continue;
        CHECK(defect({opcode, kId}, response(5, virtio_accel_object{1})) == Defect::PayloadShape);
    }
}

TEST_CASE("the object of a refused command is live, dead, unknown or lost") {
    for (std::uint32_t status = 1; status <= 0xffff; ++status) {
        const auto value = static_cast<std::uint16_t>(status);
        const Handle expected = value == 9                      ? Handle::Lost
                                : value == 11                   ? Handle::Dead
                                : value < 11 || value == 0xffff ? Handle::Live
                                                                : Handle::Unknown;
        REQUIRE(driver::handle_after(value) == expected);
    }
}

TEST_CASE("a used length is a header and its payload, and within both limits") {
    const Expected info{VIRTIO_ACCEL_OP_GET_DEVICE_INFO, kId};
    const auto good = response(0, good_info());
    REQUIRE(check(info, good).has_value());
    for (std::uint32_t used = 0; used < 16; ++used)
        CHECK(check(info, good, used).error().defect == Defect::UsedTooShort);
    for (std::uint32_t used = 16; used <= good.size() + 8; ++used)
        if (used != good.size())
            CHECK(check(info, good, used).error().defect == Defect::PayloadBytes);
    // More than was offered, and more than the device may ever write.
    for (const std::uint32_t used : {static_cast<std::uint32_t>(good.size() + 9), 4097U, ~0U})
        CHECK(check(info, good, used).error().defect == Defect::UsedTooLong);
}

TEST_CASE("a response of another command, or with flags, is none") {
    const Expected free{VIRTIO_ACCEL_OP_FREE_BUFFER, kId};
    auto bytes = response(0);
    CHECK(defect({free.opcode, kId + 1}, bytes) == Defect::RequestId);
    bytes[3] = std::byte{1};
    CHECK(defect(free, bytes) == Defect::Flags);
}

TEST_CASE("success carries exactly the payload of its command") {
    for (const std::uint16_t opcode : driver::kOpcodes) {
        CAPTURE(opcode);
        const Expected expected{opcode, kId, 8};
        int accepted = 0;
        accepted += check(expected, response(0)).has_value();
        accepted += check(expected, response(0, virtio_accel_object{1})).has_value();
        accepted += check(expected, response(0, good_info())).has_value();
        accepted += check(expected, response(0, virtio_accel_transfer{})).has_value();
        CHECK(accepted == 1);
    }
    CHECK(check({VIRTIO_ACCEL_OP_READ_BUFFER, kId, 24}, response(0, virtio_accel_transfer{}))
              .has_value());
}

TEST_CASE("a command says itself what is expected of its answer") {
    const Expected read(driver::read_buffer(9, 5, 7, 1234));
    CHECK(read.opcode == VIRTIO_ACCEL_OP_READ_BUFFER);
    CHECK(read.request_id == 9);
    CHECK(read.read_bytes == 1234);
    CHECK(Expected(driver::create_context(3)).read_bytes == 0);
}

TEST_CASE("object ids of success are not zero") {
    constexpr std::uint16_t creators[] = {
        VIRTIO_ACCEL_OP_CREATE_CONTEXT, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
        VIRTIO_ACCEL_OP_LOAD_PROGRAM, VIRTIO_ACCEL_OP_CREATE_QUEUE, VIRTIO_ACCEL_OP_SUBMIT};
    for (const std::uint16_t opcode : creators) {
        const Expected expected{opcode, kId};
        CHECK(check(expected, response(0, virtio_accel_object{7}))->object == 7);
        CHECK(defect(expected, response(0, virtio_accel_object{0})) == Defect::ObjectId);
    }
}

TEST_CASE("an indeterminate SUBMIT has a known status and an event") {
    const Expected submit{VIRTIO_ACCEL_OP_SUBMIT, kId};
    const auto late = check(submit, response(8, virtio_accel_object{7}));
    REQUIRE(late.has_value());
    CHECK(late->indeterminate());
    CHECK(late->object == 7);
    CHECK_FALSE(late->lost());
    CHECK(check(submit, response(9, virtio_accel_object{7}))->lost());

    CHECK(defect(submit, response(8, virtio_accel_object{0})) == Defect::ObjectId);
    CHECK(defect(submit, response(8, virtio_accel_transfer{})) == Defect::PayloadShape);
    // The event may be real, so it is not forgotten.
    const auto unknown = check(submit, response(0x1234, virtio_accel_object{7}));
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().event == 7);
}

TEST_CASE("an event state is one of four, with an error exactly when it failed") {
    const Expected poll{VIRTIO_ACCEL_OP_POLL_EVENT, kId};
    constexpr std::uint16_t errors[] = {0, 8, 9, 0x1234, 0xffff};
    for (std::uint32_t state = 0; state <= 0xffff; ++state) {
        for (const std::uint16_t error : errors) {
            const auto checked = check(
                poll, response(0, virtio_accel_event_state{static_cast<__le16>(state), error, 0}));
            const bool legal = state == 2 ? error != 0 : state <= 3 && error == 0;
            REQUIRE(checked.has_value() == legal);
            if (!legal) REQUIRE(checked.error().defect == Defect::EventState);
            if (legal) REQUIRE(checked->lost() == (error == 9));
        }
    }
    CHECK(defect(poll, response(0, virtio_accel_event_state{1, 0, 1})) == Defect::EventState);
}

TEST_CASE("device info breaks each of its rules alone") {
    using Info = virtio_accel_device_info;
    const std::function<void(Info&)> breaks[] = {
        [](Info& i) { i.reserved = 1; },
        [](Info& i) { i.capabilities |= VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY; },
        [](Info& i) { i.capabilities |= VIRTIO_ACCEL_CAP_SECURE_CONTEXTS; },
        [](Info& i) { i.capabilities = VIRTIO_ACCEL_CAP_EVENT_CANCELLATION; },
        [](Info& i) { i.max_contexts = 0; },
        [](Info& i) { i.max_buffers_per_context = 0; },
        [](Info& i) { i.max_programs_per_context = 0; },
        [](Info& i) { i.max_queues_per_context = 0; },
        [](Info& i) { i.max_events_per_context = 0; },
        [](Info& i) { i.max_bindings_per_submission = 0; },
        [](Info& i) { i.max_bindings_per_submission = 4097; },
        [](Info& i) { i.max_buffer_bytes = 0; },
        [](Info& i) { i.max_artifact_bytes = 0; },
    };
    const Expected expected{VIRTIO_ACCEL_OP_GET_DEVICE_INFO, kId};
    for (const auto& change : breaks) {
        Info info = good_info();
        change(info);
        CHECK(defect(expected, response(0, info)) == Defect::DeviceInfo);
    }
    // An artifact limit that no frame can reach is cut down, not refused.
    CHECK(driver::artifact_limit(good_info(), 4096) == 4000);
}

TEST_CASE("a response decodes the same way at any split") {
    const auto bytes = response(0, good_info());
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        const auto checked = check({VIRTIO_ACCEL_OP_GET_DEVICE_INFO, kId}, bytes,
                                   static_cast<std::uint32_t>(bytes.size()), split);
        REQUIRE(checked.has_value());
        CHECK(wire::to_bytes(checked->info) == wire::to_bytes(good_info()));
    }
}

TEST_SUITE_END();
