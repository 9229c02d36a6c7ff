// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "cpu/kernel.hpp"
#include "provider/bindings.hpp"
#include "tosa/graph.hpp"

namespace cpu {

struct Step {
    std::unique_ptr<Kernel> kernel;
    std::uint32_t first = 0;  // in Plan::operands: the inputs, then the outputs
    std::uint32_t inputs = 0;
    std::uint32_t outputs = 0;
};

// A constant that its file left unaligned, and where its aligned copy goes.
struct ConstantCopy {
    std::span<const std::byte> from;
    std::uint64_t arena_offset = 0;
};

// A program as it runs: kernels in order, and where each operand lies. Points into
// the artifact for constants. Nothing else of the graph is kept.
struct Plan {
    std::vector<provider::Slot> slots;
    std::vector<Step> steps;
    std::vector<Place> operands;
    std::vector<ConstantCopy> constant_copies;
    std::uint64_t arena_bytes = 0;

    [[nodiscard]] Operands operands_of(const Step& step, const Frame& frame) const {
        const auto places = std::span(operands).subspan(step.first, step.inputs + step.outputs);
        return {frame, places.first(step.inputs), places.subspan(step.inputs)};
    }

    // Memory that the plan itself keeps, arena included; an upper bound.
    [[nodiscard]] std::uint64_t bytes() const;
};

// The error is a sentence: a valid program that this provider does not run.
[[nodiscard]] std::expected<Plan, std::string> make_plan(const tosa::Graph& graph,
                                                         Engine engine);

}  // namespace cpu
