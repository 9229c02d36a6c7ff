// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tosa/graph.hpp"

namespace inspect {

struct Stats {
    std::size_t regions = 0;
    std::size_t blocks = 0;
    std::map<tosa::Op, std::uint32_t> operators;
    std::uint32_t dead = 0;
    std::uint64_t constant_bytes = 0;
    std::uint64_t binding_bytes = 0;  // of inputs and outputs
    // The most that intermediate results of a block take at a time, if each goes after its
    // last use.
    std::uint64_t peak_bytes = 0;
};
[[nodiscard]] Stats count(const tosa::Graph& graph);
[[nodiscard]] std::string text(const Stats& stats);

}  // namespace inspect
