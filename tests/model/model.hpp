// SPDX-License-Identifier: MIT
//
// Protocol 1.0 as a model: what a device must answer, worked out from the text of
// protocol.md sections 3 to 5 and from nothing else. Where the engine counts, the model
// looks: references, children and charges are sums over the objects that live, so the two
// cannot share a mistake.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/report.hpp"
#include "model/script.hpp"
#include "model/setup.hpp"

namespace model {

using Bytes = std::vector<std::byte>;

// The statuses of protocol.md 1.6.
enum class Status : std::uint16_t {
    Ok = 0,
    Unsupported = 1,
    Incompatible = 2,
    InvalidArgument = 3,
    OutOfBounds = 4,
    Busy = 5,
    OutOfMemory = 6,
    ResourceLimit = 7,
    DeadlineExpired = 8,
    DeviceLost = 9,
    PermissionDenied = 10,
    StaleObject = 11,
    InternalError = 0xFFFF,
};

enum class Kind : std::uint8_t { Context = 1, Buffer = 2, Program = 3, Queue = 4, Event = 5 };
inline constexpr std::array kKinds{Kind::Context, Kind::Buffer, Kind::Program, Kind::Queue,
                                   Kind::Event};

enum class Phase : std::uint8_t { Pending = 0, Complete = 1, Failed = 2, Cancelled = 3 };

struct Use {
    std::uint64_t buffer = 0;  // id
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t slot = 0;
    std::uint8_t access = 0;
};

struct Object {
    Kind kind = Kind::Context;
    std::uint64_t context = 0;  // id of the parent
    std::uint64_t serial = 0;   // the provider's name for it
    std::uint64_t charge = 0;   // of a buffer or a program
    std::uint32_t usage = 0;    // of a buffer
    Bytes contents{};           // of a buffer
    std::byte operand{0};       // of a program: what it does to what it writes
    // Of an event:
    std::uint64_t queue = 0;
    std::uint64_t program = 0;
    std::vector<Use> uses{};  // by slot
    Phase phase = Phase::Pending;
    ErrorKind error = ErrorKind::External;  // when Failed
};

struct Answer {
    Bytes response;           // as many bytes as are used
    std::uint64_t dirty = 0;  // bytes behind them that may hold anything
};

// A program's effect on a range that it may write, here and in the puppet alike.
inline void run(std::byte operand, std::uint8_t access, std::span<std::byte> range) {
    for (std::byte& byte : range)
        byte = access == 2 ? operand : byte ^ operand;
}

class Model {
 public:
    explicit Model(const Setup& setup);

    // The script plays the provider's part.
    [[nodiscard]] Answer process(const Bytes& request, std::uint64_t room, Script& script);
    // Nothing if the reset is refused.
    [[nodiscard]] std::optional<engine::ResetReport> reset(std::uint16_t name_space,
                                                           Script& script);

    [[nodiscard]] engine::Counts live() const;
    [[nodiscard]] engine::Health health() const { return health_; }
    [[nodiscard]] const std::map<std::uint64_t, Object>& objects() const { return objects_; }
    [[nodiscard]] std::uint16_t name_space() const { return name_space_; }
    [[nodiscard]] std::uint64_t commands() const { return commands_; }
    [[nodiscard]] std::uint64_t unusable() const { return unusable_; }

 private:
    struct Payload;
    struct Command;
    struct Result;
    struct ResetPass;
    using Injected = std::optional<Injection>;

    [[nodiscard]] Result check(const Payload& payload, Command& command) const;
    [[nodiscard]] Result check_allocate(const Payload& payload) const;
    [[nodiscard]] Result check_submit(const Payload& payload, Command& command) const;

    [[nodiscard]] Result perform(const Payload& payload, const Command& command, Answer& answer);
    [[nodiscard]] Result describe() const;
    [[nodiscard]] Result create_context();
    [[nodiscard]] Result allocate(const Payload& payload);
    [[nodiscard]] Result transfer(const Payload& payload, bool write, Answer& answer);
    [[nodiscard]] Result load(const Payload& payload);
    [[nodiscard]] Result create_queue(const Payload& payload);
    [[nodiscard]] Result submit(const Command& command);
    [[nodiscard]] Result poll(std::uint64_t id);
    [[nodiscard]] Result cancel(std::uint64_t id);
    [[nodiscard]] Result destroy(Kind kind, Op op, std::uint64_t id);

    [[nodiscard]] Status find(std::uint64_t id, Kind kind) const;
    [[nodiscard]] std::uint64_t count(Kind kind, std::uint64_t context) const;
    [[nodiscard]] std::uint64_t charge(Kind kind) const;
    [[nodiscard]] bool pinned(std::uint64_t id) const;
    [[nodiscard]] bool has_slot(Kind kind) const;
    std::uint64_t insert(Object object);
    void erase(std::uint64_t id);

    Injected call(Op op, std::vector<std::uint64_t> arguments);
    Status fail(ErrorKind error);
    Status discard();
    void settle(Object& event, const Injected& injected);
    void quarantine(const Object& object);
    Status cleanup(Object buffer, Status refusal);

    [[nodiscard]] bool bring_to_an_end(Object& event, ResetPass& pass);
    void release_all(Kind kind, Op op, ResetPass& pass);

    struct Slots {
        std::vector<std::uint16_t> generations;
        std::vector<std::uint32_t> free;
    };

    provider::DeviceInfo info_;
    std::uint16_t name_space_ = 1;
    std::map<std::uint64_t, Object> objects_;  // by id
    std::map<Kind, Slots> slots_;
    std::uint64_t last_serial_ = 0;
    engine::Counts quarantined_;
    engine::Health health_ = engine::Health::Running;
    std::optional<engine::ResetReport> discarded_;
    std::uint64_t commands_ = 0;
    std::uint64_t unusable_ = 0;
    Script* script_ = nullptr;  // of the step in progress
};

}  // namespace model
