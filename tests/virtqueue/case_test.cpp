// SPDX-License-Identifier: MIT
//
// The virtqueue cases of protocol.md 7.1, from the chain to the answer.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "virtqueue/rig.hpp"

using namespace virtqueue;
using driver::NotPopped;
using driver::Shape;
using engine::Counts;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/case");

namespace {

// The frame with `value` put over its byte `at`.
Bytes with(Bytes frame, std::size_t at, std::uint8_t value) {
    frame.at(at) = std::byte{value};
    return frame;
}

void check_error(const Answer& answer, Status status) {
    REQUIRE(answer.used == 16);
    CHECK(answer.status() == status);
    CHECK(answer.load<std::uint16_t>(2) == 0);
    CHECK(answer.load<std::uint32_t>(4) == 0);
    CHECK(answer.rest_untouched());
}

}  // namespace

TEST_CASE("VQ-001 one readable and one writable descriptor carry a valid command end to end") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto guest = make_guest();
        const Prepared command = prepare(*guest, opcode);
        const Answer answer = guest->call(command.frame, Shape{{command.frame.size()}, {4096}});
        CHECK(answer.status() == Status::Ok);
        CHECK(answer.used == command.response_bytes);
    }
}

TEST_CASE("VQ-002 all headers and fixed payloads decode the same way at any split point") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto whole = make_guest();
        const Prepared command = prepare(*whole, opcode);
        const Bytes expected = whole->call(command.frame, command.response_bytes).written;
        const std::size_t bytes = command.frame.size();
        for (std::size_t split = 1; split < bytes; ++split) {
            CAPTURE(split);
            const auto guest = make_guest();
            const Bytes frame = prepare(*guest, opcode).frame;
            const Answer answer =
                guest->call(frame, Shape{{split, bytes - split}, {command.response_bytes}});
            REQUIRE(answer.used == command.response_bytes);
            REQUIRE(answer.written == expected);
        }
    }
}

TEST_CASE("VQ-003 several readable and writable segments behave as gapless concatenations") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto whole = make_guest();
        const Prepared command = prepare(*whole, opcode);
        const Bytes expected = whole->call(command.frame, 128).written;
        for (const std::size_t piece : {1U, 2U, 3U, 7U, 16U, 17U, 40U}) {
            CAPTURE(piece);
            const auto guest = make_guest({.ring_size = 256});
            const Bytes frame = prepare(*guest, opcode).frame;
            const Answer answer =
                guest->call(frame, Shape{driver::pieces_of(frame.size(), piece),
                                         driver::pieces_of(128, piece == 1 ? 2 : piece)});
            REQUIRE(answer.written == expected);
        }
    }
}

TEST_CASE("VQ-004 a chain missing its readable or writable part is returned with used 0") {
    const auto guest = make_guest();
    const auto in = readable(*guest, 16);
    const auto out = writable(*guest, 92);
    check_unusable(*guest, link(*guest, 0, {in, in}));
    check_unusable(*guest, link(*guest, 4, {out, out}));
    check_unusable(*guest, link(*guest, 8, {in}));
    check_unusable(*guest, link(*guest, 12, {out}));
}

TEST_CASE("VQ-005 a readable descriptor after a writable one is refused before any backend call") {
    const auto guest = make_guest();
    const auto in = readable(*guest, 16);
    const auto out = writable(*guest, 92);
    check_unusable(*guest, link(*guest, 0, {in, out, in}));
    check_unusable(*guest, link(*guest, 4, {out, in}));
    check_unusable(*guest, link(*guest, 8, {in, out, in, out}));
}

TEST_CASE("VQ-006 zero-length, looping, over-long and invalid-indirect chains are refused") {
    Guest::Options options;
    options.device.config.max_chain_descriptors = 4;
    const auto guest = make_guest(options);
    const auto in = readable(*guest, 16);
    const auto out = writable(*guest, 92);
    auto none = in;
    none.length = 0;
    auto again = out;
    again.flags |= vhost::kDescriptorNext;
    again.next = 1;
    auto table = in;
    table.flags = vhost::kDescriptorIndirect;

    check_unusable(*guest, link(*guest, 0, {in, none, out}));
    check_unusable(*guest, link(*guest, 0, {in, again}));
    check_unusable(*guest, link(*guest, 0, {in, in, in, in, out}));
    check_unusable(*guest, link(*guest, 0, {table, out}));
}

TEST_CASE("VQ-007 a truncated request header yields used 0 and no written byte") {
    const auto guest = make_guest();
    const Bytes info = driver::get_device_info(1).bytes();
    for (std::size_t length = 1; length < 16; ++length) {
        CAPTURE(length);
        const Answer answer = guest->call(std::span(info).first(length));
        CHECK(answer.used == 0);
        CHECK(answer.rest_untouched());
    }
    CHECK(guest->call(info).used == 92);
}

TEST_CASE("VQ-008 good header with a bad payload: the reply is a 16-byte error frame, no more") {
    for (const std::uint16_t opcode : kOpcodes) {
        if (opcode == VIRTIO_ACCEL_OP_GET_DEVICE_INFO) continue;
        CAPTURE(opcode);
        const auto guest = make_guest();
        Bytes frame = prepare(*guest, opcode).frame;
        const Counts before = guest->device.engine().live();
        if (opcode == VIRTIO_ACCEL_OP_CREATE_CONTEXT) {
            frame = with(frame, 20, 1);  // reserved
        } else {
            std::fill_n(frame.begin() + 16, 8, std::byte{0});  // the object
        }
        check_error(guest->call(frame), Status::InvalidArgument);
        CHECK(guest->device.engine().live() == before);
    }
}

TEST_CASE("VQ-009 unknown opcode answers UNSUPPORTED and nothing changes") {
    const auto guest = make_guest();
    const Objects objects(*guest);
    const Counts before = guest->device.engine().live();
    const std::set<std::uint16_t> known(kOpcodes.begin(), kOpcodes.end());
    for (std::uint32_t value = 0; value <= 0xffff; ++value) {
        const auto opcode = static_cast<std::uint16_t>(value);
        if (known.contains(opcode)) continue;
        const Answer answer = guest->call(driver::on_object(opcode, 1, objects.buffer), 32);
        REQUIRE(answer.used == 16);
        REQUIRE(answer.status() == Status::Unsupported);
        REQUIRE(answer.rest_untouched());
    }
    CHECK(guest->device.engine().live() == before);
}

TEST_CASE("VQ-010 any nonzero request, command or reserved flag is refused") {
    struct Field {
        std::uint16_t opcode;
        std::size_t at;
        std::size_t bytes;
        Status status;
    };
    std::vector<Field> fields{
        {VIRTIO_ACCEL_OP_CREATE_CONTEXT, 16, 4, Status::Unsupported},
        {VIRTIO_ACCEL_OP_CREATE_CONTEXT, 20, 4, Status::InvalidArgument},
        {VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, 41, 7, Status::InvalidArgument},
        {VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, 52, 4, Status::InvalidArgument},
        {VIRTIO_ACCEL_OP_LOAD_PROGRAM, 28, 4, Status::Unsupported},
        {VIRTIO_ACCEL_OP_CREATE_QUEUE, 24, 4, Status::Unsupported},
        {VIRTIO_ACCEL_OP_CREATE_QUEUE, 28, 4, Status::InvalidArgument},
        {VIRTIO_ACCEL_OP_SUBMIT, 36, 4, Status::Unsupported},
        {VIRTIO_ACCEL_OP_SUBMIT, 77, 3, Status::InvalidArgument},
    };
    for (const std::uint16_t opcode : kOpcodes)
        fields.push_back({opcode, 2, 2, Status::Unsupported});

    for (const Field& field : fields) {
        CAPTURE(field.opcode);
        const auto guest = make_guest();
        const Bytes frame = prepare(*guest, field.opcode).frame;
        const Counts before = guest->device.engine().live();
        for (std::size_t bit = 0; bit < 8 * field.bytes; ++bit) {
            CAPTURE(bit);
            const Bytes bad =
                with(frame, field.at + bit / 8, static_cast<std::uint8_t>(1U << bit % 8));
            check_error(guest->call(bad), field.status);
        }
        CHECK(guest->device.engine().live() == before);
        CHECK(guest->call(frame).status() == Status::Ok);
    }
}

TEST_CASE("VQ-011 trailing readable bytes are refused") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto guest = make_guest();
        const Bytes frame = prepare(*guest, opcode).frame;
        const Counts before = guest->device.engine().live();
        for (const std::size_t extra : {1U, 8U, 32U}) {
            Bytes longer = frame;
            longer.resize(frame.size() + extra);
            check_error(guest->call(longer), Status::InvalidArgument);
            // The same when the header says that they belong to the frame.
            const auto payload = static_cast<std::uint8_t>(longer.size() - 16);
            check_error(guest->call(with(longer, 4, payload)), Status::InvalidArgument);
        }
        CHECK(guest->device.engine().live() == before);
    }
}

TEST_CASE("VQ-012 too little response space is found before mutation and nothing is written") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto guest = make_guest();
        const Prepared command = prepare(*guest, opcode);
        const Counts before = guest->device.engine().live();
        for (std::size_t room = 1; room < command.response_bytes; ++room) {
            CAPTURE(room);
            const Answer answer = guest->call(command.frame, room);
            REQUIRE(answer.used == 0);
            REQUIRE(answer.rest_untouched());
        }
        CHECK(guest->device.engine().live() == before);
        CHECK(guest->call(command.frame, command.response_bytes).status() == Status::Ok);
    }
}

TEST_CASE("VQ-013 used length equals exactly the initialised response bytes") {
    for (const std::uint16_t opcode : kOpcodes) {
        CAPTURE(opcode);
        const auto guest = make_guest();
        const Prepared command = prepare(*guest, opcode);
        Bytes flagged = with(command.frame, 2, 1);
        for (const Bytes& frame : {flagged, command.frame}) {
            const Answer answer = guest->call(frame, command.response_bytes + 100);
            const bool ok = answer.status() == Status::Ok;
            CHECK(ok == (frame == command.frame));
            CHECK(answer.used == (ok ? command.response_bytes : 16));
            CHECK(answer.load<std::uint32_t>(4) == answer.used - 16);
            CHECK(answer.rest_untouched());
        }
    }
}

TEST_SUITE_END();
