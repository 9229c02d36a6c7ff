// SPDX-License-Identifier: MIT
//
// The budgets of the command engine and of what a provider adds. A case has the name of
// its row in docs/performance-budgets.json.
#include <array>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "bench/open_provider.hpp"
#include "budget/allocations.hpp"
#include "budget/guarded.hpp"
#include "engine/object_table.hpp"
#include "engine/rig.hpp"

using budget::Allocations;
using rig::Bytes;
using rig::Rig;
using wire::Status;

TEST_SUITE_BEGIN("budget/engine");

namespace {

struct Cost {
    rig::Answer answer;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
};

// Serves one command, of which only the engine's and the provider's part is counted.
Cost cost_of(Rig& rig, std::span<const std::byte> request, std::size_t capacity = 4096) {
    Cost cost{.answer = {0, Bytes(capacity, rig::kSentinel)}};
    const std::span<std::byte> writable = cost.answer.written;
    const Allocations allocations;
    cost.answer.used = rig.engine.process({{&request, 1}, {&writable, 1}});
    cost.calls = allocations.calls();
    cost.bytes = allocations.bytes();
    return cost;
}

template <class T>
Cost cost_of(Rig& rig, std::uint16_t opcode, const T& payload,
             std::span<const std::byte> tail = {}) {
    return cost_of(rig, rig::frame(opcode, 1, payload, tail));
}

Cost cost_of(Rig& rig, std::uint16_t opcode, std::uint64_t object) {
    return cost_of(rig, opcode, virtio_accel_object{object});
}

Cost cost_of_submit(Rig& rig, std::uint64_t queue, std::uint64_t program,
                    std::span<const virtio_accel_binding> bindings) {
    return cost_of(rig, VIRTIO_ACCEL_OP_SUBMIT,
                   virtio_accel_submit{queue, program, static_cast<__le32>(bindings.size()), 0, 0},
                   std::as_bytes(bindings));
}

std::vector<virtio_accel_binding> bindings_of(std::uint64_t buffer, std::uint32_t count) {
    std::vector<virtio_accel_binding> bindings;
    for (std::uint32_t slot = 0; slot < count; ++slot)
        bindings.push_back(rig::bind(buffer, slot, VIRTIO_ACCEL_ACCESS_READ, 0, 16));
    return bindings;
}

constexpr mock::Artifact kBarrier{};

// A command whose provider call may run on another thread is a task, whose frame has the
// size that its code needs, whatever the guest says.
constexpr std::uint64_t kTask = 1;

}  // namespace

TEST_CASE("state.object_lookup") {
    engine::ObjectTable<int> table(engine::Kind::Buffer, 4096);
    table.clear(1);
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 4096; ++i) {
        auto slot = table.reserve();
        REQUIRE(slot);
        ids.push_back(table.insert(*std::move(slot), i));
    }
    const std::uint64_t removed = ids.back();
    table.remove(*table.find(removed));

    const Allocations allocations;
    const auto first = table.find(ids.front());
    const auto last = table.find(ids[4094]);
    const auto stale = table.find(removed);
    const auto other_kind = table.find(ids.front() ^ std::uint64_t{1} << 32);
    const auto impossible = table.find(0);
    const std::uint64_t calls = allocations.calls();

    CHECK(calls == 0);
    CHECK(table[*first] == 0);
    CHECK(table[*last] == 4094);
    CHECK(stale.error() == Status::StaleObject);
    CHECK(other_kind.error() == Status::StaleObject);
    CHECK(impossible.error() == Status::InvalidArgument);
}

TEST_CASE("device.command_dispatch") {
    Rig rig;
    const rig::Busy busy(rig);

    SUBCASE("a command that is answered at once allocates nothing") {
        const Bytes info = rig::frame(VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 1);
        CHECK(cost_of(rig, info).answer.status() == Status::Ok);
        CHECK(cost_of(rig, info).calls == 0);
        CHECK(cost_of(rig, rig::frame(0xDEAD, 1)).calls == 0);
        CHECK(cost_of(rig, VIRTIO_ACCEL_OP_POLL_EVENT, busy.buffer).calls == 0);
    }
    SUBCASE("one that creates nothing allocates at most its task") {
        for (const auto& [opcode, object, status] :
             {std::tuple{VIRTIO_ACCEL_OP_FREE_BUFFER, busy.buffer, Status::Busy},
              std::tuple{VIRTIO_ACCEL_OP_DESTROY_EVENT, busy.event, Status::Busy},
              std::tuple{VIRTIO_ACCEL_OP_CANCEL_EVENT, busy.event, Status::Ok},
              std::tuple{VIRTIO_ACCEL_OP_DESTROY_EVENT, busy.event, Status::Ok},
              std::tuple{VIRTIO_ACCEL_OP_FREE_BUFFER, busy.buffer, Status::Ok},
              std::tuple{VIRTIO_ACCEL_OP_FREE_BUFFER, busy.buffer, Status::StaleObject},
              std::tuple{VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, busy.program, Status::Ok},
              std::tuple{VIRTIO_ACCEL_OP_DESTROY_QUEUE, busy.queue, Status::Ok},
              std::tuple{VIRTIO_ACCEL_OP_DESTROY_CONTEXT, busy.context, Status::Ok}}) {
            CAPTURE(opcode);
            const Cost cost = cost_of(rig, static_cast<std::uint16_t>(opcode), object);
            CHECK(cost.answer.status() == status);
            CHECK(cost.calls <= kTask);
        }
    }
    // From time to time a table grows: its slots, and the list of the free ones.
    SUBCASE("a creation allocates its task, the provider's object and room in its table") {
        int larger_tables = 0;
        for (int i = 0; i < 1000; ++i) {
            const Cost cost =
                cost_of(rig, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
                        virtio_accel_allocate_buffer{busy.context, 64, 16, 3, {}, 1, 0});
            REQUIRE(cost.answer.status() == Status::Ok);
            REQUIRE(cost.calls <= kTask + 1 + 2);
            if (cost.calls > kTask + 1) ++larger_tables;
        }
        CHECK(larger_tables <= 10);  // it doubles
    }
    SUBCASE("a refused creation allocates at most its task") {
        const Cost cost = cost_of(rig, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
                                  virtio_accel_allocate_buffer{1, 64, 16, 3, {}, 1, 0});
        CHECK(cost.answer.status() == Status::StaleObject);
        CHECK(cost.calls <= kTask);
    }
}

TEST_CASE("device.submission_admission") {
    Rig rig(std::make_unique<bench::OpenProvider>());
    const auto context = rig.context();
    const auto buffer = rig.buffer(context, 64);
    const auto program = rig.program(context, kBarrier);
    const auto queue = rig.queue(context);
    const auto limit = rig.engine.device_info().max_bindings_per_submission;
    const auto destroy = [&](std::uint64_t event) {
        REQUIRE(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, event).status() == Status::Ok);
    };
    destroy(rig.submit(queue, program, bindings_of(buffer, 1)).id());  // the first event table

    SUBCASE("the list of bound buffers and the provider's event are all that is allocated") {
        for (const std::uint32_t count : {1U, 3U, 16U, 128U, limit}) {
            const Cost cost = cost_of_submit(rig, queue, program, bindings_of(buffer, count));
            CAPTURE(count);
            REQUIRE(cost.answer.status() == Status::Ok);
            CHECK(cost.calls <= 2);
            CHECK(cost.bytes <= sizeof(provider::Event) + 8 * count);
            destroy(cost.answer.id());
        }
    }
    SUBCASE("with a larger event table it is four allocations, which stay bounded") {
        for (int i = 0; i < 1000; ++i) {  // none is destroyed
            const Cost cost = cost_of_submit(rig, queue, program, bindings_of(buffer, 1));
            REQUIRE(cost.answer.status() == Status::Ok);
            CHECK(cost.calls <= 4);
        }
    }
    SUBCASE("an excessive count allocates nothing") {
        const Cost cost = cost_of_submit(rig, queue, program, bindings_of(buffer, limit + 1));
        CHECK(cost.answer.status() == Status::ResourceLimit);
        CHECK(cost.calls == 0);
    }
    SUBCASE("nothing is staged") {
        destroy(rig.submit(queue, program, bindings_of(buffer, limit)).id());
        const auto counters = rig.engine.copy_counters();
        CHECK(counters.direct_bindings == 1 + limit);
        CHECK(counters.staged_direct_bindings == 0);
        CHECK(counters.staged_direct_bytes == 0);
        CHECK(counters.explicit_transfer_bytes == 0);
    }
}

TEST_CASE("device.polling") {
    Rig rig;
    const rig::Busy busy(rig);
    const Cost pending = cost_of(rig, VIRTIO_ACCEL_OP_POLL_EVENT, busy.event);
    CHECK(pending.answer.load<std::uint16_t>(16) == VIRTIO_ACCEL_EVENT_PENDING);
    CHECK(pending.calls == 0);

    REQUIRE(rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, busy.event).status() == Status::Ok);
    const Cost ended = cost_of(rig, VIRTIO_ACCEL_OP_POLL_EVENT, busy.event);
    CHECK(ended.answer.load<std::uint16_t>(16) == VIRTIO_ACCEL_EVENT_CANCELLED);
    CHECK(ended.calls == 0);
}

TEST_CASE("device.reset") {
    for (const int events : {1, 500}) {
        Rig rig;
        const rig::Busy busy(rig);
        for (int i = 1; i < events; ++i)
            REQUIRE(rig.submit(busy.queue, busy.program,
                               std::array{rig::bind(rig.buffer(busy.context, 64), 0,
                                                    VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16)})
                        .status() == Status::Ok);
        const auto live = rig.engine.live();

        const Allocations allocations;
        const auto report = rig.engine.reset(2);
        const std::uint64_t calls = allocations.calls();

        CAPTURE(events);
        REQUIRE(report);
        CHECK(report->released == live);
        CHECK(calls == 0);
        CHECK(rig.engine.copy_counters().staged_direct_bytes == 0);
    }
}

TEST_CASE("provider.explicit_transfer") {
    Rig rig;
    const auto context = rig.context();
    const auto buffer = rig.buffer(context, 1 << 20);
    std::uint64_t expected = 0;
    for (const std::uint64_t bytes :
         {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{1} << 20}) {
        CAPTURE(bytes);
        const Bytes data(bytes, std::byte{3});
        const virtio_accel_transfer transfer{buffer, 0, bytes};

        const Cost write = cost_of(rig, VIRTIO_ACCEL_OP_WRITE_BUFFER, transfer, data);
        CHECK(write.answer.status() == Status::Ok);
        CHECK(write.calls <= kTask);
        expected += bytes;
        CHECK(rig.engine.copy_counters().explicit_transfer_bytes == expected);

        const Cost read =
            cost_of(rig, rig::frame(VIRTIO_ACCEL_OP_READ_BUFFER, 1, transfer), 16 + bytes);
        CHECK(read.answer.used == 16 + bytes);
        CHECK(read.calls <= kTask);
        expected += bytes;
        CHECK(rig.engine.copy_counters().explicit_transfer_bytes == expected);
    }

    // A refused transfer moves nothing: its data is not even read.
    const Bytes whole = rig::frame(VIRTIO_ACCEL_OP_WRITE_BUFFER, 1,
                                   virtio_accel_transfer{buffer, 1 << 20, 4096}, Bytes(4096));
    const budget::Guarded request{std::span(whole).first(whole.size() - 4096), 4096};
    CHECK(cost_of(rig, request.bytes()).answer.status() == Status::OutOfBounds);
    CHECK(rig.engine.copy_counters().explicit_transfer_bytes == expected);
    CHECK(rig.engine.copy_counters().staged_direct_bytes == 0);
}

TEST_CASE("provider.copy_path_diagnostics") {
    Rig rig;
    const rig::Busy busy(rig);

    const Allocations allocations;
    const provider::CopyCounters counters = rig.engine.copy_counters();
    const std::uint64_t calls = allocations.calls();

    CHECK(calls == 0);
    CHECK(counters.direct_bindings == 1);
    CHECK(counters.staged_direct_bindings == 0);
    CHECK(counters.staged_direct_bytes == 0);
    CHECK(counters.explicit_transfer_bytes == 0);
}
