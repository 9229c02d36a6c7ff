// SPDX-License-Identifier: MIT
//
// A TOSA graph turned into dispatches of our kernels. A plan is plain data: it needs no
// device, only the measures of one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "provider/bindings.hpp"
#include "tosa/graph.hpp"
#include "vulkan/kernels.hpp"

namespace vulkan {

// A kernel and the tensors it touches, before anybody has decided where those lie.
// `constants` follow the operands' places.
struct Step {
    Kernel kernel = Kernel::Move;
    std::vector<tosa::ValueId> reads;
    tosa::ValueId writes = tosa::kNoId;
    std::vector<std::uint32_t> constants;
    std::uint64_t groups = 0;  // workgroups that would do the work in one stride
};

// Tensors that share bytes, and steps in execution order. `same_as[v]` is the value
// whose bytes v is a view of, v itself for most. `slot_of[v]` is the binding slot that
// v lies in, kNoId for what lies in the arena.
struct Lowering {
    std::vector<Step> steps;
    std::vector<tosa::ValueId> same_as;
    std::vector<std::uint32_t> slot_of;
};

struct Dispatch {
    Kernel kernel = Kernel::Move;
    std::vector<std::uint32_t> constants;  // 2 and up
    std::uint32_t groups = 0;
    bool barrier_before = false;  // it depends on a dispatch since the last barrier
};

// Constant bytes to put into the arena before the first run. They borrow the artifact.
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

// Places the tensors and the barriers.
[[nodiscard]] Result<Plan> schedule(const tosa::Graph& graph, const Lowering& lowering,
                                    const Grid& grid);

}  // namespace vulkan
