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

#include "daemon/options.hpp"
#include "provider/provider.hpp"
#include "sandbox/filter.hpp"

namespace acceld {

struct OpenedProvider {
    std::unique_ptr<provider::Provider> provider;
    std::string description;  // what was chosen, for the operator
};

// `refused` is told why a program of the guest is refused, by a provider that can tell.
[[nodiscard]] std::expected<OpenedProvider, std::string> open_provider(
    const ProviderChoice& choice, std::function<void(std::string_view)> refused);

// What the provider of this name goes on needing of the system.
[[nodiscard]] sandbox::Needs needs_of(std::string_view name);

// A line for every provider and device: what it runs, or why it cannot be used.
[[nodiscard]] std::string list_providers();

// A line for every provider: what it was built with.
[[nodiscard]] std::string provider_versions();

}  // namespace acceld
