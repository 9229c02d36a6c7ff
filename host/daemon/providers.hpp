// SPDX-License-Identifier: MIT
//
// The providers that this build has. Choosing one is the operator's business: there
// is no default and no falling back.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provider/fault/script.hpp"
#include "provider/mock/mock.hpp"
#include "provider/provider.hpp"

namespace acceld {

// For the mock alone, which front ends are tested against. By default every event is seen
// pending once, and that of a barrier stays so until it is cancelled.
struct MockChoice {
    mock::Options options{.pending_polls = 1, .hold_barriers = true};
    fault::Script faults;
};

struct ProviderChoice {
    std::string name{};
    std::string device{};  // index or part of a name; empty for the provider's own choice
    MockChoice mock{};
};

struct OpenedProvider {
    std::unique_ptr<provider::Provider> provider;
    std::string description;  // what was chosen, for the operator
};

[[nodiscard]] std::vector<std::string> provider_names();

// `refused` is told why a program of the guest is refused, by a provider that can tell.
[[nodiscard]] std::expected<OpenedProvider, std::string> open_provider(
    const ProviderChoice& choice, std::function<void(std::string_view)> refused);

// A line for every provider and device, with the reason if it cannot be used.
[[nodiscard]] std::string list_providers();

}  // namespace acceld
