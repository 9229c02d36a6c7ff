// SPDX-License-Identifier: MIT
//
// Each canonical vector decodes to what it means, encodes to itself again, and is
// classified as written.
#include <array>

#include <doctest/doctest.h>

#include "driver/guest.hpp"
#include "driver/validator.hpp"
#include "engine/reply.hpp"
#include "golden/hex.hpp"
#include "golden/vectors.hpp"
#include "provider/mock/mock.hpp"
#include "wire/request.hpp"
#include "wire/response.hpp"

TEST_SUITE_BEGIN("golden/vector");

namespace {

using namespace golden;
using driver::Bytes;
using driver::Request;

constexpr std::uint32_t kFrameLimit = 16U << 20;
// What the vectors were written for.
constexpr wire::DecodeLimits kLimits{.capabilities = 0x23,
                                     .max_buffer_bytes = 1ULL << 30,
                                     .max_artifact_bytes = 1ULL << 28,
                                     .max_bindings = 4096};

// The frame in two pieces.
struct Split {
    Split(const Bytes& frame, std::size_t at)
        : pieces{std::span(frame).first(at), std::span(frame).subspan(at)}, reader(pieces) {}
    std::array<std::span<const std::byte>, 2> pieces;
    wire::Reader reader;
};

// The request that `command` was decoded from. Bulk data is taken from its frame.
struct Encoder {
    const Bytes& frame;

    Request operator()(const wire::GetDeviceInfo&) { return driver::get_device_info(kRequestId); }
    Request operator()(const wire::CreateContext&) { return driver::create_context(kRequestId); }
    template <std::uint16_t Opcode>
    Request operator()(const wire::OnObject<Opcode>& command) {
        return driver::on_object(Opcode, kRequestId, command.object);
    }
    Request operator()(const wire::AllocateBuffer& c) {
        return driver::allocate_buffer(kRequestId,
                                       {c.context, c.bytes, c.alignment, c.domain, c.usage});
    }
    Request operator()(const wire::WriteBuffer& c) {
        const auto data = std::span(frame).subspan(wire::WriteBuffer::kDataOffset);
        REQUIRE(data.size() == c.bytes);
        return driver::write_buffer(kRequestId, c.buffer, c.offset, data);
    }
    Request operator()(const wire::ReadBuffer& c) {
        return driver::read_buffer(kRequestId, c.buffer, c.offset, c.bytes);
    }
    Request operator()(const wire::LoadProgram& c) {
        const auto artifact = std::span(frame).subspan(wire::LoadProgram::kDataOffset);
        REQUIRE(artifact.size() == c.artifact_bytes);
        return driver::load_program(kRequestId, {c.context, c.format, c.target, c.resident_bytes},
                                    artifact);
    }
    Request operator()(const wire::CreateQueue& c) {
        return driver::create_queue(kRequestId, c.context);
    }
    Request operator()(const wire::Submit& c) {
        bindings.clear();
        for (const wire::Binding& b : c.bindings)
            bindings.push_back(driver::bind(b.buffer, b.slot, b.access, b.offset, b.bytes));
        return driver::submit(kRequestId, c.queue, c.program, bindings, c.timeout_ns);
    }

    std::vector<virtio_accel_binding> bindings{};
};

// What the vectors say in words.
Request meaning(std::uint16_t opcode) {
    static const Bytes data = from_hex("deadbeef");
    static const Bytes artifact = from_hex("a1b2c3d4");
    static const std::array binding{
        driver::bind(kBuffer, 7, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 4096)};
    switch (opcode) {
        case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
            return driver::get_device_info(kRequestId);
        case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
            return driver::create_context(kRequestId);
        case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
            return driver::allocate_buffer(kRequestId, {kContext, 4096, 64, 3, 0x0c});
        case VIRTIO_ACCEL_OP_WRITE_BUFFER:
            return driver::write_buffer(kRequestId, kBuffer, 4, data);
        case VIRTIO_ACCEL_OP_READ_BUFFER:
            return driver::read_buffer(kRequestId, kBuffer, 4, 4);
        case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
            return driver::load_program(
                kRequestId, {kContext, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 4096}, artifact);
        case VIRTIO_ACCEL_OP_CREATE_QUEUE:
            return driver::create_queue(kRequestId, kContext);
        case VIRTIO_ACCEL_OP_SUBMIT:
            return driver::submit(kRequestId, kQueue, kProgram, binding, 1000000);
        case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
            return driver::on_object(opcode, kRequestId, kContext);
        case VIRTIO_ACCEL_OP_FREE_BUFFER:
            return driver::on_object(opcode, kRequestId, kBuffer);
        case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
            return driver::on_object(opcode, kRequestId, kProgram);
        case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
            return driver::on_object(opcode, kRequestId, kQueue);
        default:
            return driver::on_object(opcode, kRequestId, kEvent);
    }
}

// The response that `reply` makes, in two pieces.
Bytes encode(const engine::Reply& reply, std::span<const std::byte> streamed, std::size_t split) {
    Bytes bytes(wire::kHeaderBytes + reply.payload_bytes());
    split = std::min(split, bytes.size());
    const std::array pieces{std::span(bytes).first(split), std::span(bytes).subspan(split)};
    wire::Writer writer(pieces);
    writer.write(wire::kHeaderBytes, reply.inline_payload());
    writer.write(wire::kHeaderBytes, streamed);
    CHECK(wire::write_header(writer, reply.status(), kRequestId, reply.payload_bytes()) ==
          bytes.size());
    return bytes;
}

engine::Reply reply_of(std::uint16_t opcode, const driver::Response& response,
                       std::size_t payload) {
    const auto status = static_cast<wire::Status>(response.status);
    if (response.object != 0) return engine::Reply::id(response.object, status);
    if (!response.ok()) return status;
    if (opcode == VIRTIO_ACCEL_OP_GET_DEVICE_INFO) return engine::Reply::with(response.info);
    if (opcode == VIRTIO_ACCEL_OP_POLL_EVENT) return engine::Reply::with(response.event);
    return engine::Reply::streamed(static_cast<std::uint32_t>(payload));
}

}  // namespace

TEST_CASE("every configuration decodes, encodes and is judged as written") {
    for (const ConfigVector& vector : configs()) {
        CAPTURE(vector.name);
        const Bytes bytes = from_hex(vector.hex);
        const auto config = wire::decode_config(std::span(bytes).first<wire::kConfigBytes>());
        CHECK(config == vector.value);
        CHECK(wire::check(config) == vector.refused);
        CHECK(to_hex(wire::encode(config)) == vector.hex);
    }
}

TEST_CASE("every request means what is written, at every split in two") {
    std::vector<wire::Binding> bindings(kLimits.max_bindings);
    CHECK(requests().size() == 15);
    for (const RequestVector& vector : requests()) {
        CAPTURE(vector.name);
        const Bytes frame = from_hex(vector.hex);
        CHECK(to_hex(meaning(vector.opcode).bytes()) == vector.hex);
        for (std::size_t at = 0; at <= frame.size(); ++at) {
            CAPTURE(at);
            Split split(frame, at);
            const wire::RequestHeader header = wire::decode_header(split.reader);
            REQUIRE(header.opcode == vector.opcode);
            REQUIRE(header.request_id == kRequestId);
            REQUIRE(wire::check_header(header, frame.size(), kFrameLimit) == wire::Status::Ok);
            const auto command = wire::decode(header, split.reader, kLimits, bindings);
            REQUIRE(command.has_value());
            Encoder encoder{frame};
            REQUIRE(to_hex(std::visit(encoder, *command).bytes()) == vector.hex);
        }
    }
}

TEST_CASE("every response passes a driver's checks and encodes to itself, at every split") {
    const driver::Validator validator(kFrameLimit);
    CHECK(responses().size() == 20);
    for (const ResponseVector& vector : responses()) {
        CAPTURE(vector.name);
        const Bytes frame = from_hex(vector.hex);
        for (std::size_t at = 0; at <= frame.size(); ++at) {
            CAPTURE(at);
            Split split(frame, at);
            const auto response = validator.check({vector.opcode, kRequestId, 4}, split.reader,
                                                  static_cast<std::uint32_t>(frame.size()));
            REQUIRE(response.has_value());
            REQUIRE(response->status == static_cast<std::uint16_t>(vector.status));
            REQUIRE(response->indeterminate() == (vector.name == "response_submit_indeterminate"));

            const std::size_t payload = frame.size() - wire::kHeaderBytes;
            const engine::Reply reply = reply_of(vector.opcode, *response, payload);
            const bool inlined = !reply.inline_payload().empty();
            REQUIRE(to_hex(encode(reply, std::span(frame).last(inlined ? 0 : payload), at)) ==
                    vector.hex);
        }
    }
}

TEST_CASE("requests that no driver should send are answered as written, through a ring") {
    for (const BadRequest& vector : bad_requests()) {
        CAPTURE(vector.name);
        driver::Guest guest(std::make_unique<mock::Provider>());
        const auto answer = guest.call(from_hex(vector.hex));
        CHECK(answer.rest_untouched());
        REQUIRE(answer.used == (vector.answer ? 16 : 0));
        if (vector.answer) CHECK(answer.status() == *vector.answer);
        CHECK(guest.device.engine().live() == engine::Counts{});
    }
}

TEST_CASE("responses without a meaning are an opaque failure and a need for recovery") {
    const driver::Validator validator(kFrameLimit);
    const Bytes status = from_hex(kUnknownStatus);
    Split opaque(status, 8);
    const auto failure =
        validator.check({VIRTIO_ACCEL_OP_FREE_BUFFER, kRequestId}, opaque.reader, 16);
    REQUIRE(failure.has_value());
    CHECK_FALSE(failure->ok());
    CHECK(driver::handle_after(failure->status) == driver::Handle::Unknown);

    const Bytes state = from_hex(kUnknownEventState);
    Split unknown(state, 8);
    const auto recovery =
        validator.check({VIRTIO_ACCEL_OP_POLL_EVENT, kRequestId}, unknown.reader, 24);
    REQUIRE_FALSE(recovery.has_value());
    CHECK(recovery.error().defect == driver::Defect::EventState);
}

TEST_SUITE_END();
