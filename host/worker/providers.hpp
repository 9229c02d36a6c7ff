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

#include "daemon/board.hpp"
#include "daemon/guest_log.hpp"
#include "daemon/options.hpp"
#include "daemon/statistics.hpp"
#include "provider/provider.hpp"
#include "sandbox/filter.hpp"
#include "xdna/store.hpp"

namespace vulkan {
struct Options;
}

namespace acceld {

// What a provider is given besides its options, and whom it tells things. The functions may
// be called from any thread, the last two also by one that outlives the provider.
struct Surroundings {
    std::function<void(std::string_view)> program_refused{};
    std::function<void(const std::string&)> warning{};
    std::function<void(ProviderLoss)> device_lost{};
    std::shared_ptr<xdna::Store> store{};  // of kernels
};

// With functions that tell the guest's log and its board.
[[nodiscard]] Surroundings surroundings_of(const std::shared_ptr<GuestLog>& log,
                                           const std::shared_ptr<Board>& board,
                                           std::shared_ptr<xdna::Store> store = {});

struct OpenedProvider {
    std::unique_ptr<provider::Provider> provider;
    std::string description;  // what was chosen, for the operator
};

[[nodiscard]] std::expected<OpenedProvider, std::string> open_provider(
    const ProviderChoice& choice, const Surroundings& surroundings);

// Those that open_provider() gives to a Vulkan provider. Only tests change them.
[[nodiscard]] vulkan::Options vulkan_options(const ProviderChoice& choice,
                                             const Surroundings& surroundings);

// What the provider of this name goes on needing of the system.
[[nodiscard]] sandbox::Needs needs_of(std::string_view name);

// A line for every provider and device: what it runs, or why it cannot be used.
[[nodiscard]] std::string list_providers();

// A line for every provider: what it was built with.
[[nodiscard]] std::string provider_versions();

}  // namespace acceld
