// SPDX-License-Identifier: MIT
#pragma once

#include <array>
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
    enum class Kind : std::uint8_t {
        Compute,  // the kernel
        Call,     // a sequence
        If,       // one of two sequences, by the condition
        While,    // a sequence that computes the condition, and another as long as it holds
    };

    Kind kind = Kind::Compute;
    std::array<std::uint32_t, 2> sequences{};  // in Plan::sequences
    std::unique_ptr<Kernel> kernel{};
    std::uint32_t first = 0;   // in Plan::operands: the inputs, then the outputs
    std::uint32_t inputs = 0;  // If, While: one, the condition
    std::uint32_t outputs = 0;
};

// Steps [first, last) of a plan.
struct Sequence {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

// Contents of the arena that are there before the first run: constants that their file
// left unaligned or stores in another form, and what variables start with.
struct InitialContents {
    tosa::DType type;
    std::span<const std::byte> from;
    std::uint64_t arena_offset = 0;
};

// A program as it runs: kernels in order, and where each operand lies. Points into
// the artifact for constants. Nothing else of the graph is kept.
struct Plan {
    std::vector<provider::Slot> slots;
    std::vector<Step> steps;
    std::vector<Sequence> sequences;  // the first is the program
    std::vector<Place> operands;
    std::vector<InitialContents> initial;
    std::uint64_t arena_bytes = 0;
    std::uint64_t scratch_bytes = 0;  // of each thread

    [[nodiscard]] std::span<const Step> steps_of(std::uint32_t sequence) const {
        const auto [first, last] = sequences[sequence];
        return std::span(steps).subspan(first, last - first);
    }
    [[nodiscard]] Operands operands_of(const Step& step, const Frame& frame) const {
        const auto places = std::span(operands).subspan(step.first, step.inputs + step.outputs);
        return {frame, places.first(step.inputs), places.subspan(step.inputs)};
    }

    // Writes the initial contents.
    void initialise(std::byte* arena) const;

    // How many of `threads` a step may have.
    [[nodiscard]] unsigned most_threads(unsigned threads) const;

    // Memory that the plan keeps or needs with this many threads; an upper bound.
    [[nodiscard]] std::uint64_t bytes(unsigned threads) const;
};

// The error is a sentence: a valid program that this provider does not run.
[[nodiscard]] std::expected<Plan, std::string> make_plan(const tosa::Graph& graph, Engine engine);

}  // namespace cpu
