// SPDX-License-Identifier: MIT
//
// What the conformance suite needs to know of a provider: how to get a fresh one, and a
// program with inputs whose results are known. See suite.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provider/provider.hpp"

namespace conformance {

using Bytes = std::vector<std::byte>;

// A fresh provider, and a hand on it from outside the contract.
class Subject {
 public:
    virtual ~Subject() = default;

    [[nodiscard]] virtual provider::Provider& provider() = 0;

    // What is submitted from now on is pending until complete().
    virtual void hold() = 0;

    // Lets what was submitted go on, and returns when the event has ended, at once if it
    // had before.
    virtual void complete(provider::Event& event) = 0;

    // Objects that are live or of which it is not known, where the provider can tell.
    [[nodiscard]] virtual std::optional<std::uint64_t> live_objects() { return std::nullopt; }
};

// A binding of the program. Its buffer is bound from the first byte to the last.
struct Fixture {
    std::uint32_t slot = 0;
    provider::Access access = provider::Access::Read;
    Bytes initial;
    Bytes expected;  // once the program has run
};

struct Target {
    std::string name;
    std::function<std::unique_ptr<Subject>()> open;
    provider::ProgramDesc program;
    Bytes artifact;
    provider::MemoryDomain domain = provider::MemoryDomain::Shared;  // of the fixtures
    std::uint64_t alignment = 16;
    std::vector<Fixture> fixtures;  // by ascending slot; one at least is written
};

}  // namespace conformance
