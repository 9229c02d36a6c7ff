// SPDX-License-Identifier: MIT
#include "xdna/xdna.hpp"

#include <algorithm>
#include <format>

#include "provider/guard.hpp"
#include "xdna/plugin.hpp"
#include "xdna/provider.hpp"
#include "xdna/runtime.hpp"
#include "xdna/self_test.hpp"

namespace xdna {
namespace {

using Descriptions = std::vector<NpuDescription>;
using Chosen = std::expected<NpuDescription, std::string>;
using Opened = std::expected<std::unique_ptr<XdnaProvider>, std::string>;

// How long a kernel of the self test may take.
constexpr std::chrono::nanoseconds kPatience = std::chrono::seconds(10);

std::string roster(const Descriptions& npus) {
    std::string text;
    for (const NpuDescription& npu : npus)
        text += std::format("{}{}: {} at {}", text.empty() ? "" : ", ", npu.index, npu.name,
                            npu.address);
    return text.empty() ? "none" : text;
}

Chosen usable(const NpuDescription& npu) {
    if (npu.unusable.empty()) return npu;
    return std::unexpected(std::format("{} cannot be used: {}", npu.name, npu.unusable));
}

Chosen by_name(const Descriptions& npus, const std::string& name) {
    const auto named = [&](const NpuDescription& npu) {
        return npu.name.contains(name) || npu.address.contains(name);
    };
    const auto found = std::ranges::find_if(npus, named);
    if (found == npus.end())
        return std::unexpected(
            std::format("no NPU is named \"{}\"; there are: {}", name, roster(npus)));
    if (std::find_if(found + 1, npus.end(), named) != npus.end())
        return std::unexpected(
            std::format("several NPUs are named \"{}\": {}", name, roster(npus)));
    return usable(*found);
}

Chosen choose_of(const Descriptions& npus, const Options& options) {
    if (!options.index && !options.name.empty()) return by_name(npus, options.name);
    const auto found = std::ranges::find_if(npus, [&](const NpuDescription& npu) {
        return options.index ? npu.index == *options.index : npu.unusable.empty();
    });
    if (found != npus.end()) return usable(*found);
    if (options.index)
        return std::unexpected(
            std::format("no NPU has index {}; there are: {}", *options.index, roster(npus)));
    if (npus.empty()) return std::unexpected("there is no NPU");
    return usable(npus.front());
}

Opened make_provider(std::shared_ptr<Npu> npu, const Options& options) {
    const auto quarantine = std::make_shared<Quarantine>();
    auto lane =
        dispatch::Lane::open(std::make_shared<Runtime>(quarantine), {.watchdog = options.watchdog});
    if (!lane)
        return std::unexpected(
            std::format("the provider cannot start: {}", provider::name(lane.error().kind)));
    return std::make_unique<XdnaProvider>(std::move(npu), std::move(*lane), quarantine, options);
}

// On a provider of its own, whose counters nobody sees. The error, or empty.
std::string test(const std::shared_ptr<Npu>& npu, const Options& options) {
    Options quiet = options;
    quiet.watchdog = std::min(options.watchdog, kPatience);
    quiet.device_lost = {};
    const auto tried = make_provider(npu, quiet);
    if (!tried) return tried.error();
    const auto right = self_test(**tried, known_answers());
    if (!right) return right.error();
    if (*right == 0 && options.warning)
        options.warning("no kernel is there whose answers are known: none was tested");
    return {};
}

Opened open_npu(std::shared_ptr<Npu> npu, const Options& options) {
    if (const auto& untested = npu->description().untested; !untested.empty() && options.warning)
        options.warning(untested);
    if (options.self_test)
        if (const std::string why = test(npu, options); !why.empty()) return std::unexpected(why);
    return make_provider(std::move(npu), options);
}

}  // namespace

std::expected<Descriptions, std::string> list(const Options& options) {
    return load_xrt(options.library).and_then([](const auto& xrt) { return xrt->list(); });
}

Chosen choose(const Options& options) {
    return list(options).and_then([&](const auto& npus) { return choose_of(npus, options); });
}

std::expected<std::unique_ptr<provider::Provider>, std::string> open(const Options& options) {
    const auto xrt = load_xrt(options.library);
    if (!xrt) return std::unexpected(xrt.error());
    return (*xrt)
        ->list()
        .and_then([&](const auto& npus) { return choose_of(npus, options); })
        .and_then([&](const auto& chosen) { return (*xrt)->open(chosen.index); })
        .and_then([&](const auto& npu) { return open_npu(npu, options); })
        .transform([](auto opened) -> std::unique_ptr<provider::Provider> { return opened; });
}

}  // namespace xdna
