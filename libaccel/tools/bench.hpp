// SPDX-License-Identifier: MIT
//
// accelctl bench: what a guest has to wait for the accelerator.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <accel/kernel.hpp>

#include "outcome.hpp"

namespace accelctl {

inline constexpr std::uint32_t kMostIterations = 1'000'000;  // each is kept until the end

struct BenchOptions {
    std::string model{};  // empty: y = x of four numbers, whose result is checked
    std::uint32_t iterations = 1000;
    bool json = false;
    std::chrono::nanoseconds timeout = std::chrono::seconds(60);
    std::string device{};  // empty: the first
};

// What to print. The inputs of a model are zero.
[[nodiscard]] Outcome<std::string> bench(const BenchOptions& options, accel::Kernel& kernel);

}  // namespace accelctl
