// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tosa/build_test.hpp"
#include "tosa/file.hpp"
#include "tosa/module.hpp"
#include "tosa/order.hpp"

namespace tosa::test {

inline constexpr Target kDynamic{.profiles = kProfileInteger | kProfileFloat, .extensions = 0x7FF};

// A graph with the file that it points into.
struct Analysed {
    std::vector<std::byte> file;
    Graph graph;
};

// Read and ordered, but not validated: for what comes after validation, with graphs that
// are as small as it wants them.
inline Analysed analysed(const GraphBuilder& builder, const Target& target) {
    Analysed result{.file = builder.file(), .graph = {}};
    const auto file = open_file(result.file, {});
    REQUIRE_MESSAGE(file.has_value(), file.error().message);
    auto graph = read_module(*file, result.file, {});
    REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
    result.graph = std::move(*graph);
    result.graph.target = target;
    for (const Operator& op : result.graph.operators)
        for (const ValueId id : op.outputs)
            if (op.op == Op::Const || op.op == Op::ConstShape)
                result.graph.values[id].constness = Constness::Serialized;
    const auto order = execution_order(result.graph);
    REQUIRE(order.has_value());
    apply_order(result.graph, *order);
    return result;
}

}  // namespace tosa::test
