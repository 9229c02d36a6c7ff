// SPDX-License-Identifier: MIT
//
// The XDNA provider: TOSA programs of a few templates as kernels of an AMD NPU, through XRT.
// Not validated on hardware: docs/providers/xdna.md says what is known.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provider/provider.hpp"
#include "provider/tosa_artifact.hpp"
#include "tosa/target.hpp"
#include "xdna/hardware.hpp"
#include "xdna/store.hpp"

namespace xdna {

// Programs for any part of one of these are served, if they match a template.
inline constexpr std::array<tosa::Target, 3> kTargets{
    tosa::Target{.profiles = tosa::kProfileFloat, .extensions = tosa::kExtensionBf16},
    tosa::Target{
        .profiles = tosa::kProfileFloat,
        .extensions = tosa::kExtensionBf16 | tosa::kExtensionFp8E4M3 | tosa::kExtensionFp8E5M2},
    tosa::Target{.profiles = tosa::kProfileInteger}};

struct Options {
    // Which NPU: with an index exactly that one, with a name the one whose name or address
    // contains it, with neither the first that is usable.
    std::optional<std::uint32_t> index;
    std::string name;

    // Null: only raw binaries load, where they may.
    std::shared_ptr<Store> store;

    // Whether a program may be a binary (kBinaryFormat). It runs on the array as it is:
    // for guests that are trusted with the device.
    bool raw_binaries = false;

    // How long the array may take without an end of a command (lane.hpp).
    std::chrono::nanoseconds watchdog = std::chrono::seconds(120);

    // Off: the device is not asked for answers that are known.
    bool self_test = true;

    // The library that XRT is reached through; empty for our own. Only tests name another.
    std::string library{};

    provider::ProgramRefused program_refused;
    // Told once, by whichever thread finds out, that the device is poisoned or wedged.
    std::function<void(bool wedged)> device_lost;
    // Told of what an operator should know, at open().
    std::function<void(const std::string&)> warning;
};

// Every NPU, usable or not.
[[nodiscard]] std::expected<std::vector<NpuDescription>, std::string> list(
    const Options& options = {});

// The one that open() would use.
[[nodiscard]] std::expected<NpuDescription, std::string> choose(const Options& options);

[[nodiscard]] std::expected<std::unique_ptr<provider::Provider>, std::string> open(
    const Options& options);

}  // namespace xdna
