// SPDX-License-Identifier: MIT
#include "inspect/stats.hpp"

#include <algorithm>
#include <format>
#include <vector>

namespace inspect {

namespace {

// Neither a constant, nor an input or output of the block, nor of an operator that need
// not run.
bool is_intermediate(const tosa::Graph& graph, const tosa::Value& value) {
    return value.producer != tosa::kNoId && !graph.operators[value.producer].dead() &&
           !value.constant() && value.last_use < graph.blocks[value.block].end();
}

std::uint64_t peak(const tosa::Graph& graph) {
    // What comes and what goes at each position.
    std::vector<std::uint64_t> comes(graph.operators.size());
    std::vector<std::uint64_t> goes(graph.operators.size());
    for (const tosa::Value& value : graph.values) {
        if (!is_intermediate(graph, value)) continue;
        comes[value.producer] += value.bytes;
        goes[std::max(value.producer, value.last_use)] += value.bytes;
    }
    std::uint64_t now = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < comes.size(); ++i) {
        now += comes[i];
        most = std::max(most, now);
        now -= goes[i];
    }
    return most;
}

}  // namespace

Stats count(const tosa::Graph& graph) {
    Stats stats;
    stats.regions = graph.regions.size();
    stats.blocks = graph.blocks.size();
    for (const tosa::Operator& op : graph.operators) {
        ++stats.operators[op.op];
        stats.dead += op.dead();
    }
    for (const tosa::Value& value : graph.values)
        stats.constant_bytes += value.constant() ? value.data.size() : 0;
    for (const auto* ids : {&graph.inputs, &graph.outputs})
        for (const tosa::ValueId id : *ids)
            stats.binding_bytes += graph.values[id].bytes;
    stats.peak_bytes = peak(graph);
    return stats;
}

std::string text(const Stats& stats) {
    std::uint32_t operators = 0;
    std::string lines;
    for (const auto& [op, number] : stats.operators) {
        operators += number;
        lines += std::format("  {:<24} {:>8}\n", tosa::name(op), number);
    }
    return std::format(
        "regions                    {:>8}, with blocks {}\n"
        "operators                  {:>8}, of which dead {}\n{}"
        "bytes of constants         {:>8}\n"
        "bytes of inputs, outputs   {:>8}\n"
        "bytes between, at most     {:>8}\n",
        stats.regions, stats.blocks, operators, stats.dead, lines, stats.constant_bytes,
        stats.binding_bytes, stats.peak_bytes);
}

}  // namespace inspect
