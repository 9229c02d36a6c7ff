// SPDX-License-Identifier: MIT
//
// What the engine tells its owner.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "wire/status.hpp"

namespace engine {

enum class Health : std::uint8_t {
    Running,
    NeedsReset,       // a response was lost after its command took effect
    DiscardRequired,  // the provider can no longer be trusted; sticky
};

enum class CreateError : std::uint8_t {
    Version,
    CommandQueueCount,
    ChainDescriptorLimit,
    RequestByteLimit,
    ResponseByteLimit,
    ZeroNamespace,
    ZeroPolicy,
    ReservedCapability,
    NoMemoryDomain,
    ZeroLimit,
    BindingLimit,
    CountOverflow,
};
[[nodiscard]] std::string_view name(CreateError error);

enum class ResetError : std::uint8_t { NamespaceReused };

// Objects and the bytes they retain.
struct Counts {
    std::uint64_t contexts = 0;
    std::uint64_t buffers = 0;
    std::uint64_t programs = 0;
    std::uint64_t queues = 0;
    std::uint64_t events = 0;
    std::uint64_t buffer_bytes = 0;
    std::uint64_t program_bytes = 0;

    friend bool operator==(const Counts&, const Counts&) = default;
    friend Counts operator+(const Counts& a, const Counts& b) {
        return {a.contexts + b.contexts,
                a.buffers + b.buffers,
                a.programs + b.programs,
                a.queues + b.queues,
                a.events + b.events,
                a.buffer_bytes + b.buffer_bytes,
                a.program_bytes + b.program_bytes};
    }
    friend Counts operator-(const Counts& a, const Counts& b) {
        return {a.contexts - b.contexts,
                a.buffers - b.buffers,
                a.programs - b.programs,
                a.queues - b.queues,
                a.events - b.events,
                a.buffer_bytes - b.buffer_bytes,
                a.program_bytes - b.program_bytes};
    }
};

enum class Disposition : std::uint8_t { Reusable, Discard };

struct ResetReport {
    Disposition disposition = Disposition::Reusable;
    Counts released;
    Counts quarantined;

    friend bool operator==(const ResetReport&, const ResetReport&) = default;
};

// What a command was, for who has to tell of it.
struct Origin {
    std::uint16_t opcode = 0;
    std::uint64_t request_id = 0;
    std::uint64_t object = 0;  // that it names first; 0 if none, or if it was not decoded
};

// A command that was answered with an error.
struct Refusal {
    Origin origin;
    std::uint64_t context = 0;  // id of the object's context; 0 if that is not known
    wire::Status status = wire::Status::Ok;
};

// Cumulative over resets.
struct Statistics {
    std::uint64_t commands = 0;              // chains given to process()
    std::uint64_t unusable = 0;              // of these, completed with used length 0
    std::array<std::uint64_t, 13> status{};  // responses by status; [12] is INTERNAL_ERROR
};

}  // namespace engine
