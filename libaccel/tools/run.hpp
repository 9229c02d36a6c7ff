// SPDX-License-Identifier: MIT
//
// accelctl run: a model from a file, with inputs and outputs in .npy files.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <accel/kernel.hpp>

#include "outcome.hpp"

namespace accelctl {

struct NamedPath {
    std::string name;  // of a tensor
    std::string path;
};

// "NAME=PATH"
[[nodiscard]] Outcome<NamedPath> parse_named_path(const std::string& text);

struct RunOptions {
    std::string model;
    std::vector<NamedPath> inputs;
    std::vector<NamedPath> outputs;
    std::optional<NamedPath> labels;  // of an output
    std::optional<double> required_percent;
    std::optional<std::uint64_t> resident_bytes;
    std::chrono::nanoseconds timeout = std::chrono::seconds(60);
    std::string device;  // empty: the first
    bool describe_only = false;
};

// What to print. Output files appear when everything else has succeeded.
[[nodiscard]] Outcome<std::string> run(const RunOptions& options, accel::Kernel& kernel);

}  // namespace accelctl
