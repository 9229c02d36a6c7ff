// SPDX-License-Identifier: MIT
//
// The conformance suite for providers, protocol.md 7.2: fifteen cases that every provider
// has to pass, whatever accelerator is behind it. A case gets a provider of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "conformance/target.hpp"

namespace conformance {

class Bench;

enum class Outcome : std::uint8_t { Passed, Failed, Skipped };

struct Verdict {
    Outcome outcome = Outcome::Passed;
    std::string why;  // unless it passed
};

// A case with neither a capability nor a need for accounting is mandatory.
struct Case {
    std::string_view id;
    void (*run)(Bench& bench);
    std::uint64_t capability = 0;  // skipped where it is not advertised
    bool accounting = false;       // skipped where live objects are not counted
};

[[nodiscard]] std::span<const Case> cases();

[[nodiscard]] Verdict judge(const Case& what, const Target& target);

}  // namespace conformance
