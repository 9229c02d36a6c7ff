// SPDX-License-Identifier: MIT
#include "provider/fault/script.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <iterator>
#include <span>

namespace fault {

namespace {

using provider::ErrorKind;
using provider::EventPhase;

template <class T>
using Parsed = std::expected<T, std::string>;

// Each table is in the order of its enumeration.
constexpr std::string_view kOperationNames[] = {
    "create_context", "destroy_context", "allocate_buffer", "free_buffer",   "write_buffer",
    "read_buffer",    "load_program",    "unload_program",  "create_queue",  "destroy_queue",
    "submit",         "poll_event",      "cancel_event",    "destroy_event",
};
static_assert(std::size(kOperationNames) == kOperations);

constexpr std::string_view kActionNames[] = {"error-before",  "error-after", "rejected",
                                             "indeterminate", "completion",  "escape"};

constexpr std::string_view kPhaseNames[] = {"pending", "complete", "failed", "cancelled"};

// Cuts off what stands before the next separator.
std::string_view cut(std::string_view& text, char separator) {
    const std::string_view word = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
}

template <class Enum>
Parsed<Enum> parse_name(std::string_view what, std::string_view word,
                        std::span<const std::string_view> names) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) return std::unexpected(std::format("no {} '{}'", what, word));
    return static_cast<Enum>(found - names.begin());
}

Parsed<std::uint32_t> parse_call(std::string_view word) {
    std::uint32_t call = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), call);
    if (error != std::errc() || end != word.data() + word.size() || call == 0)
        return std::unexpected(std::format("'{}' is not the number of a call", word));
    return call;
}

bool takes(Operation operation, Action action) {
    if (action == Action::Escape) return true;
    switch (operation) {
        case Operation::Submit:
        case Operation::DestroyContext:
        case Operation::FreeBuffer:
        case Operation::UnloadProgram:
        case Operation::DestroyQueue:
        case Operation::DestroyEvent:
            return action == Action::Rejected || action == Action::Indeterminate;
        case Operation::PollEvent:
            if (action == Action::Completion) return true;
            [[fallthrough]];
        default:
            return action == Action::ErrorBefore || action == Action::ErrorAfter;
    }
}

Parsed<void> parse_outcome(std::string_view& rest, Step& step) {
    if (step.action == Action::Escape) return {};
    if (step.action == Action::Completion) {
        const auto phase =
            parse_name<EventPhase>("final state", cut(rest, ':'), std::span(kPhaseNames));
        if (!phase) return std::unexpected(phase.error());
        if (*phase == EventPhase::Pending) return std::unexpected("'pending' is no final state");
        step.phase = *phase;
        if (step.phase != EventPhase::Failed) return {};
    }
    return parse_name<ErrorKind>("error", cut(rest, ':'), provider::kErrorKindNames)
        .transform([&](ErrorKind error) { step.error = error; });
}

Parsed<Step> parse_step(std::string_view rest) {
    Step step;
    const auto operation = parse_name<Operation>("operation", cut(rest, ':'), kOperationNames);
    if (!operation) return std::unexpected(operation.error());
    step.operation = *operation;
    const auto call = parse_call(cut(rest, ':'));
    if (!call) return std::unexpected(call.error());
    step.call = *call;
    const std::string_view word = cut(rest, ':');
    const auto action = parse_name<Action>("action", word, kActionNames);
    if (!action) return std::unexpected(action.error());
    step.action = *action;
    if (!takes(step.operation, step.action))
        return std::unexpected(std::format(
            "{} does not take '{}'", kOperationNames[static_cast<std::size_t>(*operation)], word));
    if (const auto outcome = parse_outcome(rest, step); !outcome)
        return std::unexpected(outcome.error());
    if (!rest.empty()) return std::unexpected(std::format("'{}' is too much", rest));
    return step;
}

}  // namespace

std::expected<Script, std::string> Script::parse(std::string_view text) {
    Script script;
    while (!text.empty()) {
        const std::string_view word = cut(text, ',');
        const auto wrong = [&](std::string_view why) {
            return std::unexpected(std::format("step '{}': {}", word, why));
        };
        if (script.steps_.size() == kMaxSteps)
            return wrong(std::format("there are more than {} steps", kMaxSteps));
        const auto step = parse_step(word);
        if (!step) return wrong(step.error());
        if (script.find(step->operation, step->call))
            return wrong("there is a step for this call already");
        script.steps_.push_back(*step);
    }
    return script;
}

std::optional<Step> Script::find(Operation operation, std::uint32_t call) const {
    const auto found = std::ranges::find_if(
        steps_, [&](const Step& step) { return step.operation == operation && step.call == call; });
    return found == steps_.end() ? std::nullopt : std::optional(*found);
}

}  // namespace fault
