// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "daemon/providers.hpp"
#include "engine/policy.hpp"
#include "wire/config.hpp"

namespace acceld {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

enum class Action : std::uint8_t { Serve, List, PrintCapabilities };

struct Options {
    Action action = Action::Serve;
    std::string socket_path;  // or
    std::optional<int> fd;
    ProviderChoice provider;
    wire::Config config;
    engine::Policy policy;
    bool once = false;
};

// The error is an exit status: what there was to say has been said.
[[nodiscard]] std::expected<Options, int> parse_options(int argc, const char* const* argv);

}  // namespace acceld
