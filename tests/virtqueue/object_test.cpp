// SPDX-License-Identifier: MIT
//
// Objects of one guest: of several contexts, in great numbers, over a ring.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>
#include <malloc.h>

#include "virtqueue/rig.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Of the sanitizer's allocator, whose header not every compiler package has.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

using namespace virtqueue;
using wire::Status;

TEST_SUITE_BEGIN("virtqueue/object");

namespace {

// What malloc() has given out and not got back.
std::size_t heap_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return __sanitizer_get_current_allocated_bytes();
#else
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
}

// One descriptor each way, in place, so that a million commands allocate nothing here.
class Line {
 public:
    explicit Line(Guest& guest)
        : guest_(guest),
          request_(guest.memory.allocate(128)),
          response_(guest.memory.allocate(24)),
          reader_(std::span(&bytes_, 1)) {}

    driver::Response call(const driver::Request& request) {
        request.copy_to(request_.bytes);
        const driver::Block frame = request_.part(0, request.size());
        REQUIRE(guest_.ring.publish({&frame, 1}, {&response_, 1}).has_value());
        guest_.device.service(1);
        const auto used = guest_.ring.pop();
        REQUIRE(used.has_value());
        const auto checked = validator_.check(driver::Expected(request), reader_, used->length);
        REQUIRE(checked.has_value());
        return *checked;
    }

 private:
    Guest& guest_;
    driver::Block request_;
    driver::Block response_;
    std::span<const std::byte> bytes_ = response_.bytes;
    wire::Reader reader_;
    driver::Validator validator_{4096};
};

}  // namespace

TEST_CASE("a submission of objects of two contexts is stale, whichever is the stranger") {
    const auto guest = make_guest();
    const Objects a(*guest);
    const Objects b(*guest);
    const std::array read_write{
        driver::bind(a.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16),
        driver::bind(a.buffer, 1, VIRTIO_ACCEL_ACCESS_READ_WRITE, 16, 16),
        driver::bind(a.buffer, 2, VIRTIO_ACCEL_ACCESS_READ_WRITE, 32, 16),
    };
    const auto submit = [&](std::uint64_t queue, std::uint64_t program, auto bindings) {
        return guest->call(driver::submit(guest->next_id(), queue, program, bindings)).status();
    };
    CHECK(submit(b.queue, a.program, xor_binding(a.buffer)) == Status::StaleObject);
    CHECK(submit(a.queue, b.program, xor_binding(a.buffer)) == Status::StaleObject);
    CHECK(submit(a.queue, a.program, xor_binding(b.buffer)) == Status::StaleObject);
    CHECK(submit(b.queue, b.program, xor_binding(a.buffer)) == Status::StaleObject);
    for (std::size_t i = 0; i < read_write.size(); ++i) {
        auto bindings = read_write;
        bindings[i].buffer_id = b.buffer;
        CHECK(submit(a.queue, a.program, bindings) == Status::StaleObject);
    }
    CHECK(guest->device.engine().live().events == 0);
    CHECK(guest->device.engine().copy_counters().direct_bindings == 0);
    CHECK(submit(a.queue, a.program, xor_binding(a.buffer)) == Status::Ok);
}

TEST_CASE("an id of another kind is stale in every command that names an object") {
    for (const std::uint16_t opcode : kOpcodes) {
        if (opcode <= VIRTIO_ACCEL_OP_CREATE_CONTEXT) continue;
        CAPTURE(opcode);
        const auto guest = make_guest();
        const Objects objects(*guest);
        const std::uint64_t event = objects.submit(*guest);
        const Bytes frame = prepare(*guest, opcode).frame;
        const auto kind = [](std::uint64_t id) { return id >> 32 & 7; };
        virtio_accel_object named{};
        std::ranges::copy(std::span(frame).subspan(16, 8), wire::bytes_of(named).begin());
        for (const std::uint64_t id :
             {objects.context, objects.buffer, objects.program, objects.queue, event}) {
            if (kind(id) == kind(wire::le(named.object_id))) continue;
            Bytes other = frame;
            std::ranges::copy(wire::to_bytes(virtio_accel_object{wire::le(id)}),
                              std::span(other).subspan(16).begin());
            CHECK(guest->call(other).status() == Status::StaleObject);
        }
    }
}

TEST_CASE("a million objects come and go without aliasing and without growth") {
    constexpr std::size_t kCycles = 1'000'000;
    constexpr std::size_t kKept = 8;
    const auto guest = make_guest();
    Line line(*guest);
    const std::uint64_t context = line.call(driver::create_context(1)).object;
    const auto create = [&] { return line.call(driver::create_queue(1, context)).object; };
    const auto destroy = [&](std::uint64_t id) {
        return line.call(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, 1, id)).status;
    };

    std::vector<std::uint64_t> ids;
    ids.reserve(kCycles + kKept);
    std::vector<std::uint64_t> kept;
    for (std::size_t i = 0; i < kKept; ++i)
        kept.push_back(ids.emplace_back(create()));
    const std::size_t before = heap_bytes();
    for (std::size_t i = 0; i < kCycles; ++i) {
        std::uint64_t id = ids.emplace_back(create());
        // Now and then the new one stays and an old one goes.
        if (i % 1000 == 0) std::swap(id, kept[i / 1000 % kKept]);
        REQUIRE(destroy(id) == VIRTIO_ACCEL_S_OK);
        if (i % 1000 == 0) REQUIRE(destroy(id) == VIRTIO_ACCEL_S_STALE_OBJECT);
    }
    // A slot whose generations are used up is set aside: one for every 8192 cycles.
    CHECK(heap_bytes() < before + (1 << 16));

    CHECK(guest->device.engine().live().queues == kKept);
    for (const std::uint64_t id : kept)
        CHECK(destroy(id) == VIRTIO_ACCEL_S_OK);
    std::ranges::sort(ids);
    CHECK(std::ranges::adjacent_find(ids) == ids.end());
}

TEST_SUITE_END();
