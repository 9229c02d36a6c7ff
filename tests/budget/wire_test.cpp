// SPDX-License-Identifier: MIT
//
// The budgets of decoding and of access to frames. A case has the name of its row in
// docs/performance-budgets.json.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "budget/allocations.hpp"
#include "budget/guarded.hpp"
#include "driver/device.hpp"
#include "driver/frames.hpp"
#include "driver/ring.hpp"
#include "engine/rig.hpp"
#include "wire/config.hpp"
#include "wire/request.hpp"

using budget::Allocations;
using budget::Guarded;
using rig::Bytes;
using wire::Status;

TEST_SUITE_BEGIN("budget/wire");

namespace {

constexpr wire::DecodeLimits kLimits{
    .capabilities = VIRTIO_ACCEL_CAP_MEMORY_MASK,
    .max_buffer_bytes = 1ULL << 30,
    .max_artifact_bytes = 1ULL << 30,
    .max_bindings = VIRTIO_ACCEL_MAX_BINDINGS,
};

struct Decoded {
    Status status = Status::Ok;
    std::uint64_t allocations = 0;
};

Decoded decode(std::span<const std::byte> frame, std::span<wire::Binding> room = {}) {
    const Allocations allocations;
    wire::Reader reader({&frame, 1});
    const auto header = wire::decode_header(reader);
    const auto command = wire::decode(header, reader, kLimits, room);
    return {command ? Status::Ok : command.error(), allocations.calls()};
}

// A frame that claims a tail of which no byte can be read: header and prefix end where a
// page without access begins.
template <class Prefix>
Guarded without_tail(std::uint16_t opcode, const Prefix& prefix, std::size_t tail) {
    Bytes front = rig::frame(opcode, 1, prefix);
    const auto payload_bytes = wire::le(static_cast<std::uint32_t>(sizeof prefix + tail));
    std::memcpy(front.data() + offsetof(virtio_accel_request_header, payload_bytes), &payload_bytes,
                sizeof payload_bytes);
    return Guarded(front, tail);
}

virtio_accel_load_program load_program(std::size_t artifact_bytes) {
    virtio_accel_load_program raw{};
    raw.context_id = 1;
    raw.format = 1;
    raw.payload_bytes = artifact_bytes;
    raw.resident_bytes = 1;
    return raw;
}

virtio_accel_submit submit(std::uint32_t bindings) {
    return {.queue_id = 1, .program_id = 1, .binding_count = bindings, .flags = 0, .timeout_ns = 0};
}

}  // namespace

TEST_CASE("wire.config_decode") {
    const auto bytes = wire::encode(wire::Config{});
    const Allocations allocations;
    const wire::Config config = wire::decode_config(bytes);
    const auto broken = wire::check(config);
    const std::uint64_t calls = allocations.calls();
    CHECK_FALSE(broken);
    CHECK(calls == 0);
}

TEST_CASE("wire.request_decode_non_submit") {
    constexpr std::size_t kTail = 1 << 20;
    const virtio_accel_object object{1};
    const virtio_accel_transfer transfer{1, 0, kTail};

    SUBCASE("no command allocates") {
        const std::array frames{
            rig::frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1),
            rig::frame(VIRTIO_ACCEL_OP_CREATE_CONTEXT, 1, virtio_accel_create_context{}),
            rig::frame(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, 1, object),
            rig::frame(VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, 1,
                       virtio_accel_allocate_buffer{1, 64, 16, 3, {}, 1, 0}),
            rig::frame(VIRTIO_ACCEL_OP_FREE_BUFFER, 1, object),
            rig::frame(VIRTIO_ACCEL_OP_READ_BUFFER, 1, transfer),
            rig::frame(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, 1, object),
            rig::frame(VIRTIO_ACCEL_OP_CREATE_QUEUE, 1, virtio_accel_create_queue{1, 0, 0}),
            rig::frame(VIRTIO_ACCEL_OP_DESTROY_QUEUE, 1, object),
            rig::frame(VIRTIO_ACCEL_OP_POLL_EVENT, 1, object),
            rig::frame(VIRTIO_ACCEL_OP_CANCEL_EVENT, 1, object),
            rig::frame(VIRTIO_ACCEL_OP_DESTROY_EVENT, 1, object),
        };
        for (const Bytes& frame : frames) {
            const Decoded decoded = decode(frame);
            CAPTURE(frame[0]);
            CAPTURE(frame[1]);
            CHECK(decoded.status == Status::Ok);
            CHECK(decoded.allocations == 0);
        }
    }
    SUBCASE("LOAD_PROGRAM reads the header and the prefix, not the artifact") {
        const Guarded frame =
            without_tail(VIRTIO_ACCEL_OP_LOAD_PROGRAM, load_program(kTail), kTail);
        const Decoded decoded = decode(frame.bytes());
        CHECK(decoded.status == Status::Ok);
        CHECK(decoded.allocations == 0);
    }
    SUBCASE("WRITE_BUFFER reads the header and the prefix, not the data") {
        const Guarded frame = without_tail(VIRTIO_ACCEL_OP_WRITE_BUFFER, transfer, kTail);
        const Decoded decoded = decode(frame.bytes());
        CHECK(decoded.status == Status::Ok);
        CHECK(decoded.allocations == 0);
    }
}

TEST_CASE("wire.submit_decode") {
    SUBCASE("bindings are decoded and sorted in the caller's room") {
        std::vector<wire::Binding> room(VIRTIO_ACCEL_MAX_BINDINGS);
        for (const std::uint32_t count : {1U, 2U, 16U, 4096U}) {
            std::vector<virtio_accel_binding> bindings;
            for (std::uint32_t i = 0; i < count; ++i)  // slots in descending order
                bindings.push_back(rig::bind(1, count - i, VIRTIO_ACCEL_ACCESS_READ, 0, 1));
            const Bytes frame = rig::frame(VIRTIO_ACCEL_OP_SUBMIT, 1, submit(count),
                                           std::as_bytes(std::span(bindings)));
            const Decoded decoded = decode(frame, room);
            CAPTURE(count);
            CHECK(decoded.status == Status::Ok);
            CHECK(decoded.allocations == 0);
            CHECK(room[0].slot == 1);
            CHECK(room[count - 1].slot == count);
        }
    }
    SUBCASE("an excessive count is refused before the array is read") {
        constexpr std::uint32_t kTooMany = VIRTIO_ACCEL_MAX_BINDINGS + 1;
        std::vector<wire::Binding> room(VIRTIO_ACCEL_MAX_BINDINGS);
        const Guarded frame = without_tail(VIRTIO_ACCEL_OP_SUBMIT, submit(kTooMany),
                                           kTooMany * sizeof(virtio_accel_binding));
        const Decoded decoded = decode(frame.bytes(), room);
        CHECK(decoded.status == Status::ResourceLimit);
        CHECK(decoded.allocations == 0);
    }
    SUBCASE("a count that the length does not bear out is refused before the array is read") {
        std::vector<wire::Binding> room(VIRTIO_ACCEL_MAX_BINDINGS);
        const Guarded frame =
            without_tail(VIRTIO_ACCEL_OP_SUBMIT, submit(4096), 4095 * sizeof(virtio_accel_binding));
        const Decoded decoded = decode(frame.bytes(), room);
        CHECK(decoded.status == Status::InvalidArgument);
        CHECK(decoded.allocations == 0);
    }
}

TEST_CASE("transport.segmented_region_access") {
    constexpr std::size_t kPieces = 256;
    constexpr std::size_t kPieceBytes = 61;  // odd, so that every field is split somewhere
    constexpr std::size_t kTotal = kPieces * kPieceBytes;

    SUBCASE("reading takes the bytes asked for and no memory") {
        Bytes source(kTotal);
        for (std::size_t i = 0; i < kTotal; ++i)
            source[i] = static_cast<std::byte>(i * 7);
        std::vector<std::span<const std::byte>> pieces;
        for (std::size_t i = 0; i < kPieces; ++i)
            pieces.push_back(std::span(source).subspan(i * kPieceBytes, kPieceBytes));
        Bytes target(kTotal + 1, rig::kSentinel);

        const Allocations allocations;
        wire::Reader reader(pieces);
        for (const std::size_t offset : {0U, 1U, 60U, 61U, 8000U, 100U})
            reader.read(offset, std::span(target).subspan(offset, kTotal - offset));
        const std::uint64_t calls = allocations.calls();

        CHECK(calls == 0);
        CHECK(std::ranges::equal(std::span(target).first(kTotal), source));
        CHECK(target.back() == rig::kSentinel);
    }
    SUBCASE("writing touches the bytes asked for and no memory") {
        Bytes target(kTotal, rig::kSentinel);
        std::vector<std::span<std::byte>> pieces;
        for (std::size_t i = 0; i < kPieces; ++i)
            pieces.push_back(std::span(target).subspan(i * kPieceBytes, kPieceBytes));
        const Bytes source(1000, std::byte{1});

        const Allocations allocations;
        wire::Writer writer(pieces);
        writer.write(100, source);
        const std::uint64_t calls = allocations.calls();

        CHECK(calls == 0);
        CHECK(std::ranges::count(target, std::byte{1}) == 1000);
        CHECK(target[99] == rig::kSentinel);
        CHECK(target[100] == std::byte{1});
        CHECK(target[1099] == std::byte{1});
        CHECK(target[1100] == rig::kSentinel);
    }
    SUBCASE("a chain from the ring takes no memory once one of its length was seen") {
        driver::SharedMemory memory(1 << 16);
        driver::Ring ring(memory, 128);
        driver::Device device(std::make_unique<mock::Provider>());
        device.start(memory, ring.memory());
        const auto request = driver::get_device_info(1);
        std::vector<driver::Block> out;  // one byte each
        std::vector<driver::Block> in;
        for (std::size_t i = 0; i < request.size(); ++i) {
            out.push_back(memory.allocate(1));
            out.back().bytes[0] = request.head()[i];
        }
        for (std::size_t i = 0; i < 92; ++i)
            in.push_back(memory.allocate(1));

        for (const bool seen : {false, true}) {
            CAPTURE(seen);
            REQUIRE(ring.publish(out, in));
            const Allocations allocations;
            REQUIRE(device.service() == 1);
            const std::uint64_t calls = allocations.calls();
            CHECK(ring.pop()->length == 92);
            if (seen) CHECK(calls == 0);
        }
    }
    SUBCASE("a piece that the range does not reach is not touched") {
        const Guarded nothing({}, 4096);
        const Bytes first(32, std::byte{5});
        const std::array<std::span<const std::byte>, 2> pieces{first, nothing.bytes()};
        wire::Reader reader(pieces);
        Bytes target(32);
        reader.read(0, target);
        CHECK(target == first);
    }
}
