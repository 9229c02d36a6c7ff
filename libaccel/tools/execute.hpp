// SPDX-License-Identifier: MIT
//
// One execution of a model on a device: everything it needs is created, used and
// released again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <accel/accel.hpp>

#include "model.hpp"

namespace accelctl {

using Bytes = std::vector<std::byte>;

struct Job {
    const Model& model;
    std::span<const std::byte> artifact;
    std::span<const Bytes> inputs;  // one for each of the model, of exactly its size
    std::uint64_t resident_bytes = 0;
    std::chrono::nanoseconds timeout{};
};

// The contents of the model's outputs.
[[nodiscard]] Outcome<std::vector<Bytes>> execute(const accel::Device& device, const Job& job);

// Shared memory if the device has it, else device memory, else host memory.
[[nodiscard]] accel::Domain preferred_domain(const accel::DeviceInfo& info);

// A whole transfer, however often signals cut it short.
[[nodiscard]] accel::Result<void> write_all(accel::Buffer& buffer, std::uint64_t offset,
                                            std::span<const std::byte> from);
[[nodiscard]] accel::Result<void> read_all(const accel::Buffer& buffer, std::uint64_t offset,
                                           std::span<std::byte> to);

}  // namespace accelctl
