// SPDX-License-Identifier: MIT
//
// Valid graphs that a string of bytes chooses, for holding two engines against each other.
#pragma once

#include <vector>

#include "corpus/compare.hpp"
#include "fuzz/input.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/target.hpp"

namespace cpu::test {

struct RandomGraph {
    tosa::test::GraphBuilder graph;
    std::vector<corpus::Bytes> inputs;
    // Without contents, and how near two engines have to come to each other.
    std::vector<corpus::Tensor> outputs;
    std::vector<corpus::Tolerance> tolerances;
};

inline constexpr tosa::Target kRandomTarget{
    .profiles = tosa::kProfileInteger | tosa::kProfileFloat,
    .extensions = tosa::kExtensionInt16 | tosa::kExtensionBf16 | tosa::kExtensionFp8E4M3 |
                  tosa::kExtensionFp8E5M2};

[[nodiscard]] RandomGraph random_graph(fuzz::Input choices);

}  // namespace cpu::test
