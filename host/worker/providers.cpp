// SPDX-License-Identifier: MIT
#include "worker/providers.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "cpu/cpu.hpp"
#include "provider/fault/fault.hpp"
#include "vulkan/vulkan.hpp"
#include "worker/device_files.hpp"
#include "xdna/xdna.hpp"

namespace acceld {

namespace {

using Opened = std::expected<OpenedProvider, std::string>;

struct Row {
    std::string_view name;
    Opened (*open)(const ProviderChoice& choice, const Surroundings& around);
    std::string (*list)();  // without the name, as the next
    std::string (*version)();
    sandbox::Needs needs = sandbox::Needs::Memory;
};

std::unexpected<std::string> only_one_device(const std::string& device) {
    return std::unexpected(std::format("it has one device, and none called '{}'", device));
}

Opened open_cpu(const ProviderChoice& choice, const Surroundings& around) {
    if (!choice.device.empty()) return only_one_device(choice.device);
    const cpu::Options options{
        .engine = choice.cpu.engine == "reference" ? cpu::Engine::Reference : cpu::Engine::Fast,
        .threads = choice.cpu.threads,
        .program_refused = around.program_refused};
    return cpu::open(options).transform([](auto provider) {
        return OpenedProvider{std::move(provider), "the processors of this host"};
    });
}

// A mock that takes the place of another begins with its script anew.
Opened open_mock(const ProviderChoice& choice, const Surroundings&) {
    if (!choice.device.empty()) return only_one_device(choice.device);
    return OpenedProvider{
        std::make_unique<fault::Provider>(std::make_unique<mock::Provider>(choice.mock.options),
                                          choice.mock.faults),
        "a mock that runs no TOSA, for tests of everything around it"};
}

std::string describe(const vulkan::DeviceDescription& device) {
    return std::format("{} ({}, {})", device.name, name(device.type), device.driver);
}

// Of a provider whose devices have an index and a name, and can be lost.
template <class ProviderOptions>
ProviderOptions options_for(const std::string& device, const Surroundings& around = {}) {
    ProviderOptions options;
    options.program_refused = around.program_refused;
    options.warning = around.warning;
    if (around.device_lost) {
        options.device_lost = [lost = around.device_lost](bool wedged) {
            lost(wedged ? ProviderLoss::Wedged : ProviderLoss::Poisoned);
        };
    }
    std::uint32_t index = 0;
    const char* end = device.data() + device.size();
    const auto [rest, error] = std::from_chars(device.data(), end, index);
    if (error == std::errc() && rest == end) {
        options.index = index;
    } else {
        options.name = device;
    }
    return options;
}

Opened open_vulkan(const ProviderChoice& choice, const Surroundings& around) {
    const auto options = vulkan_options(choice, around);
    return vulkan::choose(options).and_then([&](const vulkan::DeviceDescription& chosen) {
        return vulkan::open(options).transform(
            [&](auto provider) { return OpenedProvider{std::move(provider), describe(chosen)}; });
    });
}

// A device that looks usable may still not open.
std::string try_vulkan(const vulkan::DeviceDescription& device) {
    if (!device.unusable.empty()) return "cannot be used: " + device.unusable;
    const auto provider = vulkan::open(options_for<vulkan::Options>(std::to_string(device.index)));
    return provider ? tosa::describe(vulkan::kTarget) : "cannot be used: " + provider.error();
}

std::string list_vulkan() {
    const auto devices = vulkan::list();
    const std::string closed = closed_device_files("/dev/dri", "renderD");
    std::string lines = !devices           ? "not available: " + devices.error()
                        : devices->empty() ? "not available: no Vulkan device"
                                           : "available, --device is one of";
    if (devices)
        for (const auto& device : *devices)
            lines +=
                std::format("\n    {}  {}: {}", device.index, describe(device), try_vulkan(device));
    if (!closed.empty()) lines += "\n    left out: " + closed;
    return lines;
}

std::string describe(const xdna::NpuDescription& npu) {
    const auto known = [](const std::string& text) { return text.empty() ? "unknown" : text; };
    return std::format("{} at {} (driver {}, firmware {}, XRT {})", known(npu.name),
                       known(npu.address), known(npu.driver), known(npu.firmware), npu.xrt);
}

Opened open_xdna(const ProviderChoice& choice, const Surroundings& around) {
    auto options = options_for<xdna::Options>(choice.device, around);
    options.store = around.store;
    options.raw_binaries = choice.xdna.raw_binaries;
    options.watchdog = choice.xdna.watchdog;
    return xdna::choose(options).and_then([&](const xdna::NpuDescription& chosen) {
        return xdna::open(options).transform(
            [&](auto provider) { return OpenedProvider{std::move(provider), describe(chosen)}; });
    });
}

std::string describe_targets() {
    std::string all;
    for (const tosa::Target& target : xdna::kTargets)
        all += (all.empty() ? "" : "; ") + tosa::describe(target);
    return all;
}

// An NPU that looks usable may still not open. Without kernels nothing runs on it here.
std::string try_xdna(const xdna::NpuDescription& npu) {
    if (!npu.unusable.empty()) return "cannot be used: " + npu.unusable;
    const auto provider = xdna::open(options_for<xdna::Options>(std::to_string(npu.index)));
    if (!provider) return "cannot be used: " + provider.error();
    return describe_targets() + (npu.untested.empty() ? "" : "\n        " + npu.untested);
}

// Who would have one to tell of.
std::string no_npu() {
    const bool driver = ::access("/sys/module/amdxdna", F_OK) == 0;
    return driver ? "no NPU" : "no NPU, as the driver amdxdna is not loaded";
}

std::string list_xdna() {
    const auto npus = xdna::list();
    const std::string closed = closed_device_files("/dev/accel", "accel");
    std::string lines = !npus           ? "not available: " + npus.error()
                        : npus->empty() ? "not available: " + no_npu()
                                        : "available, --device is one of";
    if (npus)
        for (const auto& npu : *npus)
            lines += std::format("\n    {}  {}: {}", npu.index, describe(npu), try_xdna(npu));
    if (!closed.empty()) lines += "\n    left out: " + closed;
    return lines;
}

std::string list_cpu() {
    const auto provider = cpu::open({});
    return provider ? "available, " + tosa::describe(cpu::kTarget)
                    : "not available: " + provider.error();
}

constexpr const char* kXrt =
#ifdef VIRTIO_ACCEL_XRT
    "XRT " VIRTIO_ACCEL_XRT;
#else
    "not part of this build: no XRT";
#endif

constexpr Row kRows[] = {
    {"cpu", open_cpu, list_cpu, [] { return std::string("vectors of Highway"); }},
    {"mock", open_mock, [] { return std::string("available, runs no TOSA"); },
     [] { return std::string("for tests"); }},
    {"vulkan", open_vulkan, list_vulkan,
     [] { return "headers of Vulkan " + vulkan::header_version(); }, sandbox::Needs::Driver},
    {"xdna", open_xdna, list_xdna, [] { return std::string(kXrt); }, sandbox::Needs::Npu},
};

static_assert(std::ranges::equal(kRows, kProviderNames, {}, &Row::name));

}  // namespace

Surroundings surroundings_of(const std::shared_ptr<GuestLog>& log,
                             const std::shared_ptr<Board>& board,
                             std::shared_ptr<xdna::Store> store) {
    return {.program_refused = [log](std::string_view why) { log->program_refused(why); },
            .warning = [log](const std::string& what) { log->provider_warning(what); },
            .device_lost =
                [log, board](ProviderLoss loss) {
                    board->statistics.provider_losses[std::to_underlying(loss)].add(1);
                    if (loss == ProviderLoss::Wedged) board->statistics.device_wedged.set(1);
                    log->device_lost(loss);
                },
            .store = std::move(store)};
}

std::expected<OpenedProvider, std::string> open_provider(const ProviderChoice& choice,
                                                         const Surroundings& surroundings) {
    const auto* row = std::ranges::find(kRows, choice.name, &Row::name);
    if (row == std::end(kRows)) return std::unexpected("no provider '" + choice.name + "'");
    auto opened = row->open(choice, surroundings);
    if (!opened) {
        return std::unexpected(
            std::format("provider '{}' is not available: {}", row->name, opened.error()));
    }
    opened->description = std::format("{}, {}", row->name, opened->description);
    return opened;
}

vulkan::Options vulkan_options(const ProviderChoice& choice, const Surroundings& around) {
    return options_for<vulkan::Options>(choice.device, around);
}

sandbox::Needs needs_of(std::string_view name) {
    const auto* row = std::ranges::find(kRows, name, &Row::name);
    return row == std::end(kRows) ? sandbox::Needs::Memory : row->needs;
}

std::string list_providers() {
    std::string lines;
    for (const Row& row : kRows)
        lines += std::format("{:<8} {}\n", row.name, row.list());
    return lines;
}

std::string provider_versions() {
    std::string lines;
    for (const Row& row : kRows)
        lines += std::format("{:<8} {}\n", row.name, row.version());
    return lines;
}

}  // namespace acceld
