// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/kernel.hpp"
#include "cpu/kernels/elementwise_lower.hpp"

namespace cpu::elementwise {

// Operators that are computed together, block by block, so that what one hands to another
// never is in memory: in execution order, each but the last read by one other and of the
// last one's shape.
inline constexpr std::size_t kMaxChain = 16;

struct Chain {
    std::unique_ptr<Kernel> kernel;
    std::vector<tosa::ValueId> inputs;  // of the kernel, in order; a value may come twice
};

// All of them can be lowered. The kernel writes the output of the last one.
[[nodiscard]] Chain make_chain(const tosa::Graph& graph,
                               std::span<const tosa::Operator* const> operators);

}  // namespace cpu::elementwise
