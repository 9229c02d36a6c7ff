// SPDX-License-Identifier: MIT
//
// A model on a device: once, for which everything it needs is created, used and released
// again, or as often as one likes.
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

// A model that is loaded and has its buffers.
struct Prepared {
    accel::Context context;
    accel::Program program;
    accel::Queue queue;
    std::vector<accel::Buffer> buffers;    // inputs first
    std::vector<accel::Binding> bindings;  // of these, in the order of the slots
    bool takes_limit = true;               // of time, as far as is known
};

// With the job's inputs written.
[[nodiscard]] Outcome<Prepared> prepare(const accel::Device& device, const Job& job);
[[nodiscard]] Outcome<accel::Program> load(const accel::Context& context, const Job& job);

// From the call of submit() on: to its return, and to the end of the wait.
struct Times {
    std::chrono::duration<double> submit{};
    std::chrono::duration<double> completion{};
};

// Submits and waits; after that the buffers can be read.
[[nodiscard]] Outcome<Times> run_once(Prepared& prepared, std::chrono::nanoseconds timeout);
[[nodiscard]] Outcome<std::vector<Bytes>> read_outputs(const Prepared& prepared,
                                                       const Model& model);

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
