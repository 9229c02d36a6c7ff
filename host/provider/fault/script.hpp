// SPDX-License-Identifier: MIT
//
// What shall go wrong, and when: a list of steps, each of which fires once.
//
//     submit:1:indeterminate:DeadlineExpired,allocate_buffer:1:error-after:OutOfMemory
//
// A step is OPERATION:N:ACTION. OPERATION is a call of provider.hpp, N says at which
// call of that operation the step fires, counted from 1, and ACTION is one of
//
//     error-before:ERROR    the inner provider is not called      all calls but submit
//     error-after:ERROR     it is called, then the error is told  and the releases
//     rejected:ERROR        the inner provider is not called      submit and the
//     indeterminate:ERROR   see fault.hpp                         five releases
//     completion:complete, completion:cancelled, completion:failed:ERROR   poll_event
//     escape                asks the system for a network socket, then     all calls
//                           goes on: nothing that a provider has to do
//
// and ERROR is a name of provider::ErrorKind. The empty text is the empty script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/provider.hpp"

namespace fault {

enum class Operation : std::uint8_t {
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
inline constexpr std::size_t kOperations = 14;

enum class Action : std::uint8_t {
    ErrorBefore,
    ErrorAfter,
    Rejected,
    Indeterminate,
    Completion,
    Escape
};

struct Step {
    Operation operation{};
    std::uint32_t call = 0;
    Action action{};
    provider::EventPhase phase{};  // of a Completion
    provider::ErrorKind error{};   // of all others, and of a Completion that failed
};

// Holds only steps whose operation takes their action, and one at most for each call.
class Script {
 public:
    static constexpr std::size_t kMaxSteps = 64;

    // The error says which step is wrong, and why.
    [[nodiscard]] static std::expected<Script, std::string> parse(std::string_view text);

    [[nodiscard]] std::optional<Step> find(Operation operation, std::uint32_t call) const;

 private:
    std::vector<Step> steps_;
};

}  // namespace fault
