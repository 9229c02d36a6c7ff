// SPDX-License-Identifier: MIT
//
// Commands whose provider work overlaps and ends in any order. Each is answered once, with a
// response that a driver accepts; when no work is under way nothing waits; and what lives is
// what the answers say.
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "driver/frames.hpp"
#include "driver/validator.hpp"
#include "engine/engine.hpp"
#include "fuzz/input.hpp"
#include "model/puppet.hpp"

namespace {

using Bytes = std::vector<std::byte>;

// Objects by kind, as the protocol numbers the groups of its opcodes.
enum Kind : std::uint8_t { kContext = 1, kBuffer, kProgram, kQueue, kEvent, kKinds };

// A command whose chain stays in place until the end.
struct Flight {
    explicit Flight(const driver::Request& command)
        : request(command.bytes()), expected(command), operand(0) {
        if (request.size() >= 24) std::memcpy(&operand, request.data() + 16, sizeof operand);
    }
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    Bytes request;
    Bytes response = Bytes(model::kConfig.max_response_bytes);
    std::span<const std::byte> readable{request};
    std::span<std::byte> writable{response};
    driver::Expected expected;
    std::uint64_t operand;  // the first id that the command names
    bool answered = false;
};

class Guest final : public engine::Host {
 public:
    explicit Guest(fuzz::Input& input)
        : input_(input),
          engine_(*engine::Engine::create(model::kConfig,
                                          std::make_unique<model::Puppet>(model::Setup{}, script_),
                                          model::kPolicy)) {}

    void play() {
        for (int steps = 0; steps < 256 && !input_.empty(); ++steps) {
            const auto what = input_.take<std::uint8_t>();
            if (what < 160)
                send();
            else if (what < 250)
                finish(input_.take<std::uint8_t>());
            else
                reset();
            check();
        }
        while (!held_.empty())
            finish(0);
        check();
    }

    void complete(engine::Ticket ticket, std::uint32_t used) override {
        if (ticket <= last_of_old_epoch_) return;  // a reset has overtaken it
        Flight& flight = flights_.at(ticket);
        fuzz::require(!std::exchange(flight.answered, true), "a command is answered once");
        --waiting_;
        const std::span<const std::byte> written(flight.response);
        wire::Reader reader(std::span(&written, 1));
        const driver::Validator validator(model::kConfig.max_response_bytes);
        const auto response = validator.check(flight.expected, reader, used);
        fuzz::require(response.has_value(), "a driver accepts the response");
        note(flight, *response);
    }
    void start(engine::Work work) override {
        fuzz::require(!lost_, "a provider that was given up is asked for nothing more");
        held_.push_back(std::move(work));
    }

 private:
    static Kind kind_of(std::uint16_t opcode) { return static_cast<Kind>(opcode >> 8); }

    static bool releases(std::uint16_t opcode) {
        constexpr std::array<std::uint16_t, 5> kReleases{
            VIRTIO_ACCEL_OP_DESTROY_CONTEXT, VIRTIO_ACCEL_OP_FREE_BUFFER,
            VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, VIRTIO_ACCEL_OP_DESTROY_QUEUE,
            VIRTIO_ACCEL_OP_DESTROY_EVENT};
        return std::ranges::contains(kReleases, opcode);
    }

    void note(const Flight& flight, const driver::Response& response) {
        const Kind kind = kind_of(flight.expected.opcode);
        if (response.object != 0) {
            known_[kind].push_back(response.object);
            fuzz::require(live_[kind].insert(response.object).second, "no id is given out twice");
        }
        if (response.ok() && releases(flight.expected.opcode))
            fuzz::require(live_[kind].erase(flight.operand) == 1, "what is released had lived");
    }

    // Any id of this kind that was ever given out: many are stale.
    std::uint64_t pick(Kind kind) {
        const auto& ids = known_[kind];
        const auto choice = input_.take<std::uint8_t>();
        return ids.empty() ? 0x0BAD : ids[ids.size() - 1 - choice % ids.size()];
    }

    driver::Request request(std::uint64_t id) {
        static const Bytes data(32, std::byte{7});
        switch (const std::size_t what = input_.take<std::uint8_t>() % 15U) {
            case 0:
                return driver::create_context(id);
            case 1:
                return driver::allocate_buffer(id, {.context = pick(kContext), .bytes = 64});
            case 2:
                return driver::load_program(
                    id, {.context = pick(kContext), .format = 1, .resident_bytes = 32}, data);
            case 3:
                return driver::create_queue(id, pick(kContext));
            case 4:
                return driver::write_buffer(id, pick(kBuffer), 0, data);
            case 5:
                return driver::read_buffer(id, pick(kBuffer), 0, 64);
            case 6:
            case 7:
                bindings_ = {driver::bind(pick(kBuffer), 0, 3, 0, 64)};
                return driver::submit(id, pick(kQueue), pick(kProgram), bindings_);
            default: {
                constexpr std::array<std::uint16_t, 7> kOnObject{
                    VIRTIO_ACCEL_OP_DESTROY_CONTEXT, VIRTIO_ACCEL_OP_FREE_BUFFER,
                    VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,  VIRTIO_ACCEL_OP_DESTROY_QUEUE,
                    VIRTIO_ACCEL_OP_POLL_EVENT,      VIRTIO_ACCEL_OP_CANCEL_EVENT,
                    VIRTIO_ACCEL_OP_DESTROY_EVENT};
                const std::uint16_t opcode = kOnObject[what - 8];
                return driver::on_object(opcode, id, pick(kind_of(opcode)));
            }
        }
    }

    void send() {
        script_.begin(injections());
        const engine::Ticket ticket = ++last_;
        Flight& flight = flights_.try_emplace(ticket, request(ticket)).first->second;
        ++waiting_;
        engine_.serve(*this, ticket,
                      {std::span(&flight.readable, 1), std::span(&flight.writable, 1)});
    }

    void finish(std::uint8_t which) {
        if (held_.empty()) return;
        script_.begin(injections());
        const auto at = held_.begin() + static_cast<std::ptrdiff_t>(which % held_.size());
        engine::Work work = std::move(*at);
        held_.erase(at);
        work.run();
        engine_.finish(*this, std::move(work));
    }

    // Now and then the next call, whatever it is, is refused; seldom is its outcome unknown
    // or the device lost; and an allocation may be none that the engine can take.
    std::vector<model::Injection> injections() {
        const auto choice = input_.take<std::uint8_t>();
        if (choice % 16 == 14)
            return {{model::Op::AllocateBuffer, model::Action::Lie, model::ErrorKind::Busy, 0}};
        if (choice % 16 != 15) return {};
        const auto action = choice == 0xFF ? model::Action::Unknown : model::Action::Error;
        const auto error = choice == 0xEF ? model::ErrorKind::DeviceLost : model::ErrorKind::Busy;
        std::vector<model::Injection> all;
        for (unsigned op = 0; op < model::kOps; ++op)
            if (legal(static_cast<model::Op>(op), action))
                all.push_back({static_cast<model::Op>(op), action, error, 0});
        return all;
    }

    void reset() {
        script_.begin({});
        last_of_old_epoch_ = last_;
        waiting_ = 0;
        const auto report = engine_.reset(++name_space_);
        fuzz::require(report.has_value(), "a new namespace is taken");
        const bool reusable = report->disposition == engine::Disposition::Reusable;
        fuzz::require(!reusable || held_.empty(), "work under way is in the way of reuse");
        live_.clear();
    }

    void check() {
        lost_ = engine_.health() != engine::Health::Running;
        if (engine_.working() != 0) return;
        fuzz::require(waiting_ == 0, "nothing waits for work that is done");
        if (engine_.health() != engine::Health::Running) return;
        const engine::Counts counts = engine_.live();
        fuzz::require(
            counts.contexts == live_[kContext].size() && counts.buffers == live_[kBuffer].size() &&
                counts.programs == live_[kProgram].size() &&
                counts.queues == live_[kQueue].size() && counts.events == live_[kEvent].size() &&
                counts.buffer_bytes == 64 * counts.buffers &&
                counts.program_bytes == 32 * counts.programs,
            "what lives is what was answered");
    }

    fuzz::Input& input_;
    model::Script script_;
    std::map<engine::Ticket, Flight> flights_;
    std::deque<engine::Work> held_;
    std::map<Kind, std::set<std::uint64_t>> live_;
    std::map<Kind, std::vector<std::uint64_t>> known_;
    std::vector<virtio_accel_binding> bindings_;
    engine::Engine engine_;
    engine::Ticket last_ = 0;
    engine::Ticket last_of_old_epoch_ = 0;
    std::uint64_t waiting_ = 0;
    bool lost_ = false;
    std::uint16_t name_space_ = 1;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Guest(input).play();
    return 0;
}
