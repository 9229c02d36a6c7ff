// SPDX-License-Identifier: MIT
//
// The Vulkan provider: TOSA programs as compute kernels of our own on any Vulkan 1.3
// device. The system's loader is opened at run time, so a machine without one gets an
// error here and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/provider.hpp"
#include "provider/tosa_artifact.hpp"
#include "tosa/target.hpp"

namespace vulkan {

// Programs for any part of it are served, on every device, if all their operators are.
inline constexpr tosa::Target kTarget{
    .profiles = tosa::kProfileInteger | tosa::kProfileFloat,
    .extensions = tosa::kExtensionFp8E4M3 | tosa::kExtensionFp8E5M2 | tosa::kExtensionDoubleRound};

// Of the Vulkan headers that this was built with.
[[nodiscard]] std::string header_version();

enum class DeviceType : std::uint8_t { Other, Integrated, Discrete, Virtual, Cpu };

[[nodiscard]] std::string_view name(DeviceType type);

// A physical device as an operator sees it.
struct DeviceDescription {
    std::uint32_t index = 0;  // position in list(); may change when drivers or devices do
    std::string name;
    DeviceType type = DeviceType::Other;
    std::array<std::uint8_t, 16> uuid{};
    std::string driver;    // name and version
    std::string unusable;  // why the provider cannot use it; empty when it can
};

struct Options {
    // Which device. With an index, exactly that one. With a name, the one device whose
    // name contains it. With neither, the best device that is not a processor in
    // disguise: a software device (type Cpu) is only ever used when asked for.
    std::optional<std::uint32_t> index;
    std::string name;

    // Off: Device-domain buffers are reached through staged transfers even where the
    // memory could be mapped, as on a card with memory of its own.
    bool map_device_memory = true;

    // Off: the device is not asked for answers that are known (self_test.hpp).
    bool self_test = true;

    // Where what the driver has compiled is kept for the next process (pipeline_cache.hpp).
    // The directory exists and is the user's own; empty: nothing is kept.
    std::string cache_directory{};

    // The library that Vulkan comes from; empty for the system's. Only tests name another.
    std::string loader{};

    provider::ProgramRefused program_refused;

    // What the device offers and is not used, as it gets known answers wrong.
    std::function<void(const std::string&)> warning;

    // Told once, by whichever thread finds out, that the device is lost; it is wedged if its
    // work cannot be proven to have ended.
    std::function<void(bool wedged)> device_lost;

    // When set, the Khronos validation layer watches every call, synchronization
    // included, and its messages come here, from whatever thread made the call.
    std::function<void(std::string_view)> on_validation_message;
};

// Every physical device, usable or not. The error says what is missing.
[[nodiscard]] std::expected<std::vector<DeviceDescription>, std::string> list(
    const Options& options = {});

// The device that open() would use.
[[nodiscard]] std::expected<DeviceDescription, std::string> choose(const Options& options);

[[nodiscard]] std::expected<std::unique_ptr<provider::Provider>, std::string> open(
    const Options& options);

}  // namespace vulkan
