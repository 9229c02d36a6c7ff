// SPDX-License-Identifier: MIT
#include "worker/providers.hpp"

#include <algorithm>
#include <charconv>
#include <format>
#include <string_view>
#include <utility>

#include "cpu/cpu.hpp"
#include "provider/fault/fault.hpp"
#include "vulkan/vulkan.hpp"
#include "worker/device_files.hpp"

namespace acceld {

namespace {

using Opened = std::expected<OpenedProvider, std::string>;
using Refused = std::function<void(std::string_view)>;

struct Row {
    std::string_view name;
    Opened (*open)(const ProviderChoice& choice, const Refused& refused);
    std::string (*list)();  // without the name, as the next
    std::string (*version)();
    sandbox::Needs needs = sandbox::Needs::Memory;
};

std::unexpected<std::string> only_one_device(const std::string& device) {
    return std::unexpected(std::format("it has one device, and none called '{}'", device));
}

Opened open_cpu(const ProviderChoice& choice, const Refused& refused) {
    if (!choice.device.empty()) return only_one_device(choice.device);
    const cpu::Options options{
        .engine = choice.cpu.engine == "reference" ? cpu::Engine::Reference : cpu::Engine::Fast,
        .threads = choice.cpu.threads,
        .program_refused = refused};
    return cpu::open(options).transform([](auto provider) {
        return OpenedProvider{std::move(provider), "the processors of this host"};
    });
}

// A mock that takes the place of another begins with its script anew.
Opened open_mock(const ProviderChoice& choice, const Refused&) {
    if (!choice.device.empty()) return only_one_device(choice.device);
    return OpenedProvider{
        std::make_unique<fault::Provider>(std::make_unique<mock::Provider>(choice.mock.options),
                                          choice.mock.faults),
        "a mock that runs no TOSA, for tests of everything around it"};
}

std::string describe(const vulkan::DeviceDescription& device) {
    return std::format("{} ({}, {})", device.name, name(device.type), device.driver);
}

vulkan::Options vulkan_options(const std::string& device) {
    vulkan::Options options;
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

Opened open_vulkan(const ProviderChoice& choice, const Refused& refused) {
    auto options = vulkan_options(choice.device);
    options.program_refused = refused;
    return vulkan::choose(options).and_then([&](const vulkan::DeviceDescription& chosen) {
        return vulkan::open(options).transform(
            [&](auto provider) { return OpenedProvider{std::move(provider), describe(chosen)}; });
    });
}

// A device that looks usable may still not open.
std::string try_vulkan(const vulkan::DeviceDescription& device) {
    if (!device.unusable.empty()) return "cannot be used: " + device.unusable;
    const auto provider = vulkan::open(vulkan_options(std::to_string(device.index)));
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

std::string list_cpu() {
    const auto provider = cpu::open({});
    return provider ? "available, " + tosa::describe(cpu::kTarget)
                    : "not available: " + provider.error();
}

constexpr const char* kNotBuilt = "it is not part of this build";

constexpr Row kRows[] = {
    {"cpu", open_cpu, list_cpu, [] { return std::string("vectors of Highway"); }},
    {"mock", open_mock, [] { return std::string("available, runs no TOSA"); },
     [] { return std::string("for tests"); }},
    {"vulkan", open_vulkan, list_vulkan,
     [] { return "headers of Vulkan " + vulkan::header_version(); }, sandbox::Needs::Driver},
    {"xdna",
     [](const ProviderChoice&, const Refused&) -> Opened { return std::unexpected(kNotBuilt); },
     [] { return std::string("not available: ") + kNotBuilt; },
     [] { return std::string("not part of this build: no XRT"); }},
};

static_assert(std::ranges::equal(kRows, kProviderNames, {}, &Row::name));

}  // namespace

std::expected<OpenedProvider, std::string> open_provider(
    const ProviderChoice& choice, std::function<void(std::string_view)> refused) {
    const auto* row = std::ranges::find(kRows, choice.name, &Row::name);
    if (row == std::end(kRows)) return std::unexpected("no provider '" + choice.name + "'");
    auto opened = row->open(choice, refused);
    if (!opened) {
        return std::unexpected(
            std::format("provider '{}' is not available: {}", row->name, opened.error()));
    }
    opened->description = std::format("{}, {}", row->name, opened->description);
    return opened;
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
