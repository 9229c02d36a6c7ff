// SPDX-License-Identifier: MIT
//
// Commands that overlap: admission, provider work and commit are three steps.
#include <deque>
#include <map>

#include <doctest/doctest.h>

#include "engine/rig.hpp"

using namespace rig;
using engine::Ticket;
using wire::Status;

namespace {

// A chain whose memory stays in place for as long as it is served.
struct Flight {
    Flight(Bytes bytes, std::size_t capacity)
        : request(std::move(bytes)), response(capacity, kSentinel) {}

    Bytes request;
    Bytes response;
    std::span<const std::byte> readable{request};
    std::span<std::byte> writable{response};
};

// Holds provider work back until it is asked to finish one.
class Held final : public engine::Host {
 public:
    explicit Held(engine::Engine& engine) : engine_(engine) {}

    void complete(Ticket ticket, std::uint32_t used) override {
        order.push_back(ticket);
        answers[ticket] = {used, flights_.at(ticket).response};
    }
    void start(engine::Work work) override { started.push_back(std::move(work)); }

    Ticket send(const Bytes& request, std::size_t capacity = 256) {
        const Ticket ticket = ++last_;
        Flight& flight = flights_.try_emplace(ticket, request, capacity).first->second;
        engine_.serve(*this, ticket,
                      {std::span(&flight.readable, 1), std::span(&flight.writable, 1)});
        return ticket;
    }
    Ticket call(const driver::Request& request) { return send(request.bytes()); }
    Ticket on_object(std::uint16_t opcode, std::uint64_t id) {
        return call(driver::on_object(opcode, next(), id));
    }
    Ticket load(std::uint64_t context, std::uint32_t format = mock::kFormat) {
        return call(driver::load_program(next(),
                                         {.context = context,
                                          .format = format,
                                          .target = mock::kTarget,
                                          .resident_bytes = mock::kResidentBytes},
                                         mock::encode({})));
    }
    Ticket submit(const Busy& objects) {
        const auto binding = bind(objects.buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        return call(driver::submit(next(), objects.queue, objects.program, std::span(&binding, 1)));
    }
    [[nodiscard]] std::uint64_t next() const { return last_ + 1; }  // request id

    void finish_one() {
        engine::Work work = std::move(started.front());
        started.pop_front();
        work.run();
        engine_.finish(*this, std::move(work));
    }

    [[nodiscard]] bool answered(Ticket ticket) const { return answers.contains(ticket); }
    [[nodiscard]] Status status(Ticket ticket) const { return answers.at(ticket).status(); }

    std::deque<engine::Work> started;
    std::map<Ticket, Answer> answers;
    std::vector<Ticket> order;

 private:
    engine::Engine& engine_;
    std::map<Ticket, Flight> flights_;
    Ticket last_ = 0;
};

struct ConcurrentRig : Rig {
    using Rig::Rig;
    Held host{engine};
};

// The event is gone: the objects can be worked on.
struct Idle : Busy {
    explicit Idle(Rig& rig) : Busy(rig) {
        CHECK(rig.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, event).status() == Status::Ok);
        CHECK(rig.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, event).status() == Status::Ok);
    }
};

}  // namespace

TEST_SUITE_BEGIN("engine/concurrency");

TEST_CASE("a load in one context lets a thousand submissions of another finish first") {
    ConcurrentRig rig;
    const std::uint64_t slow = rig.context();
    const Idle other(rig);

    const Ticket load = rig.host.load(slow);
    for (int i = 0; i < 1000; ++i) {
        const Ticket submit = rig.host.submit(other);
        REQUIRE(rig.host.status(submit) == Status::Ok);
        const std::uint64_t event = rig.host.answers.at(submit).id();
        REQUIRE(rig.host.status(rig.host.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, event)) ==
                Status::Ok);
        REQUIRE(rig.host.status(rig.host.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, event)) ==
                Status::Ok);
    }
    CHECK_FALSE(rig.host.answered(load));

    rig.host.finish_one();
    CHECK(rig.host.status(load) == Status::Ok);
    CHECK(rig.host.order.back() == load);
}

TEST_CASE("a load does not delay the submissions of its own context either") {
    ConcurrentRig rig;
    const Idle objects(rig);
    const Ticket load = rig.host.load(objects.context);
    CHECK(rig.host.status(rig.host.submit(objects)) == Status::Ok);
    CHECK_FALSE(rig.host.answered(load));
    rig.host.finish_one();
    CHECK(rig.host.status(load) == Status::Ok);
}

TEST_CASE("control commands of one context reach the provider one at a time, in order") {
    ConcurrentRig rig;
    const std::uint64_t context = rig.context();
    const Ticket first = rig.host.load(context);
    const Ticket second = rig.host.load(context);
    const Ticket destroy = rig.host.on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, context);
    CHECK(rig.host.started.size() == 1);

    rig.host.finish_one();
    CHECK(rig.host.answered(first));
    CHECK_FALSE(rig.host.answered(destroy));
    REQUIRE(rig.host.started.size() == 1);
    rig.host.finish_one();
    CHECK(rig.host.order == std::vector{first, second, destroy});
    CHECK(rig.host.status(destroy) == Status::Busy);  // it has two programs now
}

TEST_CASE("a submission waits for the object that the provider works on") {
    ConcurrentRig rig;
    const Idle objects(rig);
    const Bytes data(16, std::byte{1});
    const Ticket write =
        rig.host.call(driver::write_buffer(rig.host.next(), objects.buffer, 0, data));
    const Ticket submit = rig.host.submit(objects);
    CHECK_FALSE(rig.host.answered(submit));
    rig.host.finish_one();
    CHECK(rig.host.order == std::vector{write, submit});
    CHECK(rig.host.status(submit) == Status::Ok);
}

TEST_CASE("what waited for a release finds the object stale") {
    ConcurrentRig rig;
    const Idle objects(rig);
    const auto outcome_after = [&](std::uint16_t opcode, std::uint64_t id) {
        rig.host.on_object(opcode, id);
        const Ticket submit = rig.host.submit(objects);
        const Ticket again = rig.host.on_object(opcode, id);
        rig.host.finish_one();
        CHECK(rig.host.status(again) == Status::StaleObject);
        return rig.host.status(submit);
    };
    CHECK(outcome_after(VIRTIO_ACCEL_OP_FREE_BUFFER, objects.buffer) == Status::StaleObject);
    CHECK(outcome_after(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, objects.program) == Status::StaleObject);
    CHECK(outcome_after(VIRTIO_ACCEL_OP_DESTROY_QUEUE, objects.queue) == Status::StaleObject);
}

TEST_CASE("quotas and policy count what is under way") {
    ConcurrentRig rig(nullptr, engine::Policy{.max_program_bytes = 100});
    const std::uint64_t one = rig.context();
    const std::uint64_t two = rig.context();
    rig.host.load(one);  // 64 bytes
    CHECK(rig.host.status(rig.host.load(two)) == Status::ResourceLimit);

    for (int i = 2; i < 64; ++i)
        rig.host.call(driver::create_context(rig.host.next()));
    CHECK(rig.host.status(rig.host.call(driver::create_context(rig.host.next()))) ==
          Status::ResourceLimit);
    while (!rig.host.started.empty())
        rig.host.finish_one();
    CHECK(rig.engine.live().contexts == 64);
}

TEST_CASE("a creation that failed leaves its quota, its charge and the ids alone") {
    ConcurrentRig rig(nullptr, engine::Policy{.max_program_bytes = 64});
    const std::uint64_t context = rig.context();
    const Ticket refused = rig.host.load(context, 1);  // not the mock's format
    rig.host.finish_one();
    CHECK(rig.host.status(refused) == Status::Unsupported);
    const Ticket load = rig.host.load(context);
    rig.host.finish_one();
    CHECK(rig.host.answers.at(load).id() == 0x0001000300000001);
}

TEST_CASE("a reset does not wait for work, and what is under way costs the provider") {
    ConcurrentRig rig;
    const Idle busy(rig);
    const Idle unrelated(rig);
    const Ticket load = rig.host.load(busy.context);
    const Ticket parked = rig.host.load(busy.context);

    const auto report = rig.engine.reset(2);
    REQUIRE(report);
    CHECK(report->disposition == engine::Disposition::Discard);
    CHECK(report->released == engine::Counts{1, 1, 1, 1, 0, 64, 64});
    CHECK(rig.engine.working() == 1);

    rig.host.finish_one();
    CHECK(rig.engine.working() == 0);
    CHECK(rig.host.answered(load));  // to a host that has given the chain up
    CHECK_FALSE(rig.host.answered(parked));
}

TEST_CASE("a provider that was given up is asked for nothing more") {
    // More than the policy allows once padded: a buffer to be released again.
    struct Padding final : mock::Provider {
        provider::Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
            provider::Context& context, const provider::BufferDesc& desc) override {
            provider::BufferDesc padded = desc;
            padded.bytes *= 2;
            return mock::Provider::allocate_buffer(context, padded);
        }
    };
    ConcurrentRig rig(std::make_unique<Padding>());
    const std::uint64_t context = rig.context();
    const Ticket allocate = rig.host.call(driver::allocate_buffer(
        rig.host.next(), {.context = context, .bytes = 64, .usage = kAllUsage}));
    REQUIRE(rig.engine.reset(2)->disposition == engine::Disposition::Discard);
    rig.host.finish_one();
    CHECK(rig.host.started.empty());
    CHECK(rig.host.status(allocate) == Status::DeviceLost);
}

TEST_SUITE_END();
