// SPDX-License-Identifier: MIT
//
// A TOSA graph turned into dispatches of our kernels. A plan is plain data: it needs no
// device, only the measures of one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "provider/bindings.hpp"
#include "tosa/graph.hpp"
#include "vulkan/chain.hpp"
#include "vulkan/kernels.hpp"

namespace vulkan {

// Bytes on the device. The first are the values of the graph, by their ids; kernels may need
// more of their own.
struct Tensor {
    std::uint32_t type = shader::kFp32;
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
    std::span<const std::byte> contents{};  // of a constant
    TensorId same_as = kNoTensor;           // the tensor whose bytes it is a view of, or itself
    std::uint32_t slot = tosa::kNoId;       // the binding that it lies in; else in the arena
};

// Two specialization constants of a step's own, `constant` and the next, are where the
// tensor lies.
struct Place {
    TensorId tensor = kNoTensor;
    std::uint32_t constant = 0;
};

// A kernel and the tensors it touches, before anybody has decided where those lie. It
// writes by its chain, if its kernel has one, and otherwise at the place `to`.
struct Step {
    Kernel kernel = Kernel::Elementwise;
    TensorId writes = kNoTensor;
    std::optional<Chain> chain{};
    std::vector<std::uint32_t> constants{};  // its own: from shader::kOwn with a chain, else 2
    std::vector<Place> reads{};
    std::optional<std::uint32_t> to{};  // like Place::constant
    std::uint64_t groups = 0;           // workgroups that would do the work in one stride
    // The narrowest elements that the kernel can store, as so many in a word.
    std::uint32_t most_lanes = 4;
    std::uint32_t most_stages = shader::kChainStages;
};

struct Lowering {
    std::vector<Tensor> tensors;
    std::vector<TensorId> inputs;             // of the program, in slot order
    std::vector<TensorId> outputs;            // likewise
    std::vector<Step> steps;                  // in execution order
    std::deque<std::vector<std::byte>> made;  // constants that are in no artifact
};

struct Dispatch {
    Variant variant;
    std::vector<std::uint32_t> constants;  // 2 and up
    std::uint32_t groups = 0;
    bool barrier_before = false;  // it depends on a dispatch since the last barrier
};

// Constant bytes to put into the arena before the first run. They borrow the artifact and
// the lowering.
struct Upload {
    std::uint64_t offset = 0;
    std::span<const std::byte> bytes;
};

// The arena is the element of the buffer array after the last slot.
struct Plan {
    std::vector<provider::Slot> slots;
    std::vector<Dispatch> dispatches;
    std::vector<Upload> uploads;
    std::uint64_t arena_bytes = 0;  // 0: no arena
};

// Chooses kernels and views. Unsupported: an operator, type, rank or parameter that the
// provider has no kernel for. ResourceLimit: a tensor larger than a binding may span.
// RESHAPE and IDENTITY cost nothing, except where an output cannot share the bytes of its source
// because those are a block input's, a constant's or another output's: then they are a copy.
[[nodiscard]] Result<Lowering> lower(const tosa::Graph& graph, const Grid& grid);

// Joins elementwise steps with the steps that make what they read, if nothing else reads it.
void fuse(Lowering& lowering);

// Places the tensors and the barriers.
[[nodiscard]] Result<Plan> schedule(const Lowering& lowering, const Grid& grid);

}  // namespace vulkan
