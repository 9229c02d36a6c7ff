// SPDX-License-Identifier: MIT
//
// A guest that races with itself: submissions against the release of everything that
// they use, with provider calls on real worker threads. The wrapped provider keeps
// books: an object that is released too early or twice is a violation.
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "daemon/workers.hpp"
#include "engine/rig.hpp"
#include "provider/fault/fault.hpp"

using wire::Status;

TEST_SUITE_BEGIN("daemon/race");

namespace {

constexpr int kCommands = 100'000;
constexpr std::size_t kInFlight = 32;
constexpr std::size_t kObjects = 4;  // of each kind: few, so that commands collide

// The ids that a guest knows of one kind, stale ones among them.
struct Ids {
    std::array<std::uint64_t, kObjects> ids{};
    std::size_t next = 0;

    void learn(std::uint64_t id) { ids[next++ % kObjects] = id; }
};

class Guest final : public engine::Host {
 public:
    Guest() {
        // Asynchronous from the start: nothing here waits for an answer but the drain.
        for (std::size_t i = 0; i < 2; ++i)
            send(driver::create_context(next()));
        drain();
    }

    void run() {
        for (int i = 0; i < kCommands; ++i) {
            send(any_command());
            while (auto work = workers_->take_done())
                engine_.finish(*this, *std::move(work));
            while (flights_.size() >= kInFlight && engine_.working() > 0)
                engine_.finish(*this, workers_->wait_done());
        }
        drain();
    }

    void complete(engine::Ticket ticket, std::uint32_t used) override {
        const auto flight = flights_.extract(ticket);
        const rig::Answer answer{used, flight.mapped().response};
        ++answers;
        const Status status = answer.status();
        if (status != Status::Ok && status != Status::Busy && status != Status::StaleObject &&
            status != Status::ResourceLimit)
            ++unexpected;
        if (status == Status::Ok && used == 24) learn(flight.mapped().opcode, answer.id());
    }
    void start(engine::Work work) override { workers_->post(std::move(work)); }

    [[nodiscard]] std::uint64_t violations() const { return audited_->violations(); }
    [[nodiscard]] engine::Engine& engine() { return engine_; }
    [[nodiscard]] std::size_t in_flight() const { return flights_.size(); }

    int answers = 0;
    int unexpected = 0;

 private:
    struct Flight {
        std::uint16_t opcode;
        rig::Bytes request;
        rig::Bytes response = rig::Bytes(64, rig::kSentinel);
        std::span<const std::byte> readable{request};
        std::span<std::byte> writable{response};
    };

    void send(const driver::Request& request) {
        const engine::Ticket ticket = ++last_;
        Flight& flight =
            flights_.try_emplace(ticket, request.opcode(), request.bytes()).first->second;
        engine_.serve(*this, ticket, {{&flight.readable, 1}, {&flight.writable, 1}});
    }
    void drain() {
        while (engine_.working() > 0)
            engine_.finish(*this, workers_->wait_done());
    }

    void learn(std::uint16_t opcode, std::uint64_t id) {
        switch (opcode) {
            case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
                return contexts_.learn(id);
            case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
                return buffers_.learn(id);
            case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
                return programs_.learn(id);
            case VIRTIO_ACCEL_OP_CREATE_QUEUE:
                return queues_.learn(id);
            case VIRTIO_ACCEL_OP_SUBMIT:
                return events_.learn(id);
            default:
                return;
        }
    }

    std::uint64_t any(const Ids& of) {
        const std::uint64_t id = of.ids[random_() % kObjects];
        return id != 0 ? id : 0x0001000100000009;  // a well-formed id of nothing
    }

    driver::Request any_command() {
        static const auto artifact = mock::encode({.operation = mock::Operation::Xor});
        switch (random_() % 12) {
            case 0:
                return driver::allocate_buffer(
                    next(), {.context = any(contexts_), .bytes = 64, .usage = rig::kAllUsage});
            case 1:
                return driver::load_program(next(),
                                            {.context = any(contexts_),
                                             .format = mock::kFormat,
                                             .target = mock::kTarget,
                                             .resident_bytes = mock::kResidentBytes},
                                            artifact);
            case 2:
                return driver::create_queue(next(), any(contexts_));
            case 3:
                return on(VIRTIO_ACCEL_OP_FREE_BUFFER, buffers_);
            case 4:
                return on(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, programs_);
            case 5:
                return on(VIRTIO_ACCEL_OP_DESTROY_QUEUE, queues_);
            case 6:
                return on(VIRTIO_ACCEL_OP_CANCEL_EVENT, events_);
            case 7:
            case 8:
                return on(VIRTIO_ACCEL_OP_DESTROY_EVENT, events_);
            case 9:
                return driver::read_buffer(next(), any(buffers_), 0, 16);
            default:
                binding_ = driver::bind(any(buffers_), 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
                return driver::submit(next(), any(queues_), any(programs_),
                                      std::span(&binding_, 1));
        }
    }
    driver::Request on(std::uint16_t opcode, const Ids& of) {
        return driver::on_object(opcode, next(), any(of));
    }
    [[nodiscard]] std::uint64_t next() const { return last_ + 1; }

    fault::Provider* audited_ = nullptr;
    engine::Engine engine_ = make_engine(audited_);
    std::unique_ptr<acceld::Workers> workers_ = *acceld::Workers::create();
    std::map<engine::Ticket, Flight> flights_;
    engine::Ticket last_ = 0;
    Ids contexts_, buffers_, programs_, queues_, events_;
    virtio_accel_binding binding_{};
    std::mt19937 random_{1};  // NOLINT: the same every time

    static engine::Engine make_engine(fault::Provider*& audited) {
        auto owned = std::make_unique<fault::Provider>(
            std::make_unique<mock::Provider>(mock::Options{.pending_polls = 1}), fault::Script{});
        audited = owned.get();
        return *engine::Engine::create({}, std::move(owned), {});
    }
};

}  // namespace

TEST_CASE("submissions race with the release of what they use, and nothing goes twice") {
    Guest guest;
    guest.run();
    CHECK(guest.answers == kCommands + 2);
    CHECK(guest.in_flight() == 0);
    CHECK(guest.unexpected == 0);
    CHECK(guest.violations() == 0);

    const auto report = guest.engine().reset(2);
    REQUIRE(report);
    CHECK(report->disposition == engine::Disposition::Reusable);
    CHECK(guest.engine().live() == engine::Counts{});
    CHECK(guest.violations() == 0);
}

TEST_SUITE_END();
