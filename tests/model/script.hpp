// SPDX-License-Identifier: MIT
//
// What a schedule tells the provider to do, and what the provider was asked. The puppet
// plays a script; the model reads the same one to know what the engine will be told.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "provider/error.hpp"

namespace model {

using provider::ErrorKind;

// The operations of the provider contract (protocol.md 5.2) that can be told apart.
enum class Op : std::uint8_t {
    CreateContext,
    DestroyContext,
    AllocateBuffer,
    FreeBuffer,
    WriteBuffer,
    ReadBuffer,
    LoadProgram,
    UnloadProgram,
    CreateQueue,
    DestroyQueue,
    Submit,
    PollEvent,
    CancelEvent,
    DestroyEvent,
};
inline constexpr unsigned kOps = 14;

enum class Action : std::uint8_t {
    Error,     // refuse with `error`; half of a transfer has happened
    Unknown,   // of submit and the releases: nobody can tell whether it took effect
    Complete,  // of poll: a pending event has ended well
    Fail,      // of poll: a pending event has failed with `error`
    Pad,       // of allocate: kPadding bytes more than asked for
    Lie,       // of allocate: a description that breaks protocol.md 5.4
};
inline constexpr unsigned kActions = 6;
inline constexpr std::uint64_t kPadding = 64;

// Applies to the nth call, from 0, of `op` within one step.
struct Injection {
    Op op = Op::CreateContext;
    Action action = Action::Error;
    ErrorKind error = ErrorKind::External;
    std::uint32_t nth = 0;

    friend bool operator==(const Injection&, const Injection&) = default;
};

[[nodiscard]] constexpr bool legal(Op op, Action action) {
    switch (action) {
        case Action::Error:
            return true;
        case Action::Unknown:
            return op == Op::DestroyContext || op == Op::FreeBuffer || op == Op::UnloadProgram ||
                   op == Op::DestroyQueue || op == Op::Submit || op == Op::DestroyEvent;
        case Action::Complete:
        case Action::Fail:
            return op == Op::PollEvent;
        case Action::Pad:
        case Action::Lie:
            return op == Op::AllocateBuffer;
    }
    return false;
}

[[nodiscard]] constexpr bool has_error(Action action) {
    return action == Action::Error || action == Action::Unknown || action == Action::Fail;
}

// Objects are named by the order in which the provider made them.
struct Call {
    Op op = Op::CreateContext;
    std::vector<std::uint64_t> arguments;

    friend bool operator==(const Call&, const Call&) = default;
};

// One step's injections and the calls it led to.
class Script {
 public:
    void begin(std::vector<Injection> injections) {
        injections_ = std::move(injections);
        calls_.clear();
    }

    // What to do about this call, nothing for what the operation normally does.
    std::optional<Injection> call(Op op, std::vector<std::uint64_t> arguments) {
        std::uint32_t nth = 0;
        for (const Call& earlier : calls_)
            nth += earlier.op == op ? 1 : 0;
        calls_.push_back({op, std::move(arguments)});
        for (const Injection& injection : injections_)
            if (injection.op == op && injection.nth == nth) return injection;
        return std::nullopt;
    }

    [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }

 private:
    std::vector<Injection> injections_;
    std::vector<Call> calls_;
};

}  // namespace model
