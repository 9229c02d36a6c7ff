// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "cpu/kernels/elementwise_block.hpp"
#include "tosa/graph.hpp"

namespace cpu::elementwise {

struct Part {
    Code code;
    Parameters parameters{};
};

// An operator as block functions: the first takes the operands, each other one the result
// of the one before.
struct Lowered {
    std::array<Part, 3> parts{};
    std::size_t part_count = 0;
    std::array<tosa::ValueId, 3> operands{};
    std::size_t operand_count = 0;
    std::uint64_t cost = 1;  // scalar steps of an element, roughly
    // What follows must round the result to the output's type, unless it is stored at once.
    std::optional<Code> round{};
};

// Nothing for an operator that is not elementwise, and for types that have no lanes.
[[nodiscard]] std::optional<Lowered> lower(const tosa::Graph& graph, const tosa::Operator& op);

}  // namespace cpu::elementwise
