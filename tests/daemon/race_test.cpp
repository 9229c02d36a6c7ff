// SPDX-License-Identifier: MIT
//
// A guest that races with itself: submissions against the release of everything that
// they use, with provider calls on real worker threads. The wrapped provider keeps
// books: an object that is released too early or twice is a violation.
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "engine/rig.hpp"
#include "provider/fault/fault.hpp"
#include "worker/pool.hpp"

using wire::Status;

TEST_SUITE_BEGIN("daemon/race");

namespace {

constexpr int kCommands = 100'000;
constexpr int kThreads = 8;
constexpr std::size_t kInFlight = 32;
constexpr std::size_t kObjects = 4;  // of each kind: few, so that commands collide

// The ids that a guest knows of one kind, stale ones among them.
struct Ids {
    std::array<std::uint64_t, kObjects> ids{};
    std::size_t next = 0;

    void learn(std::uint64_t id) { ids[next++ % kObjects] = id; }
};

// Several threads of the guest make commands; the thread of the engine serves them.
class Guest final : public engine::Host {
 public:
    Guest() {
        for (std::size_t i = 0; i < 2; ++i)
            serve({VIRTIO_ACCEL_OP_CREATE_CONTEXT, driver::create_context(i + 1).bytes()});
        while (engine_.working() > 0)
            engine_.finish(*this, pool_->wait_done());
    }

    void run() {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([this, i] { make_commands(static_cast<std::uint32_t>(i)); });
        while (answers < kCommands + 2) {
            for (Command& command : take_commands())
                serve(std::move(command));
            if (engine_.working() > 0) engine_.finish(*this, pool_->wait_done());
        }
    }

    void complete(engine::Ticket ticket, std::uint32_t used) override {
        const auto flight = flights_.extract(ticket);
        const rig::Answer answer{used, flight.mapped().response};
        ++answers;
        const Status status = answer.status();
        if (status != Status::Ok && status != Status::Busy && status != Status::StaleObject &&
            status != Status::ResourceLimit)
            ++unexpected;
        const std::scoped_lock lock(mutex_);
        if (status == Status::Ok && used == 24) learn(flight.mapped().command.opcode, answer.id());
        --outstanding_;
        room_.notify_all();
    }
    void start(engine::Work work) override { pool_->post(std::move(work)); }

    [[nodiscard]] std::uint64_t violations() const { return audited_->violations(); }
    [[nodiscard]] engine::Engine& engine() { return engine_; }
    [[nodiscard]] std::size_t in_flight() const { return flights_.size(); }

    int answers = 0;
    int unexpected = 0;

 private:
    struct Command {
        std::uint16_t opcode;
        rig::Bytes request;
    };
    struct Flight {
        Command command;
        rig::Bytes response = rig::Bytes(64, rig::kSentinel);
        std::span<const std::byte> readable{command.request};
        std::span<std::byte> writable{response};
    };

    void make_commands(std::uint32_t seed) {
        std::mt19937 random(seed);  // NOLINT: the same every time
        for (int i = 0; i < kCommands / kThreads; ++i) {
            std::unique_lock lock(mutex_);
            room_.wait(lock, [this] { return outstanding_ < kInFlight; });
            ++outstanding_;
            commands_.push_back(any_command(random));
            made_.notify_one();
        }
    }

    std::vector<Command> take_commands() {
        std::unique_lock lock(mutex_);
        made_.wait(lock, [this] { return !commands_.empty() || engine_.working() > 0; });
        return std::exchange(commands_, {});
    }

    void serve(Command command) {
        const engine::Ticket ticket = ++last_;
        Flight& flight = flights_.try_emplace(ticket, std::move(command)).first->second;
        engine_.serve(*this, ticket, {{&flight.readable, 1}, {&flight.writable, 1}});
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

    Command any_command(std::mt19937& random) {
        const auto any = [&](const Ids& of) {
            const std::uint64_t id = of.ids[random() % kObjects];
            return id != 0 ? id : 0x0001000100000009;  // a well-formed id of nothing
        };
        const auto on = [&](std::uint16_t opcode, const Ids& of) {
            return driver::on_object(opcode, 1, any(of));
        };
        const auto artifact = mock::encode({.operation = mock::Operation::Xor});
        const auto binding = driver::bind(any(buffers_), 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, 16);
        const auto request = [&]() -> driver::Request {
            switch (random() % 12) {
                case 0:
                    return driver::allocate_buffer(
                        1, {.context = any(contexts_), .bytes = 64, .usage = rig::kAllUsage});
                case 1:
                    return driver::load_program(1,
                                                {.context = any(contexts_),
                                                 .format = mock::kFormat,
                                                 .target = mock::kTarget,
                                                 .resident_bytes = mock::kResidentBytes},
                                                artifact);
                case 2:
                    return driver::create_queue(1, any(contexts_));
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
                    return driver::read_buffer(1, any(buffers_), 0, 16);
                default:
                    return driver::submit(1, any(queues_), any(programs_), std::span(&binding, 1));
            }
        }();
        return {request.opcode(), request.bytes()};
    }

    static engine::Engine make_engine(fault::Provider*& audited) {
        auto owned = std::make_unique<fault::Provider>(
            std::make_unique<mock::Provider>(mock::Options{.pending_polls = 1}), fault::Script{});
        audited = owned.get();
        return *engine::Engine::create({}, std::move(owned), {});
    }

    fault::Provider* audited_ = nullptr;
    engine::Engine engine_ = make_engine(audited_);
    std::unique_ptr<acceld::Pool> pool_ = *acceld::Pool::create(8);
    std::map<engine::Ticket, Flight> flights_;
    engine::Ticket last_ = 0;

    std::mutex mutex_;  // guards what follows
    std::condition_variable made_, room_;
    std::vector<Command> commands_;
    std::size_t outstanding_ = 2;
    Ids contexts_, buffers_, programs_, queues_, events_;
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
