// SPDX-License-Identifier: MIT
#include "inspect/dump.hpp"

#include <format>

#include "tosa/diagnostic.hpp"

namespace inspect {

namespace {

// FP32[1,2,3] "name"; a shape operand has its rank for its extents.
std::string text(const tosa::Value& value) {
    const std::string extents = value.type == tosa::DType::Shape
                                    ? std::format("[{}]", value.elements)
                                    : tosa::text(value.dims);
    return std::format("{}{} {}", tosa::name(value.type), extents, tosa::quoted(value.name));
}

std::string text(const tosa::Graph& graph, std::span<const tosa::ValueId> ids) {
    std::string all;
    for (const tosa::ValueId id : ids)
        all += std::format("{}{}", all.empty() ? "" : ", ", text(graph.values[id]));
    return all;
}

// "region 'body'", the operator's regions.
std::string regions(const tosa::Graph& graph, const tosa::Operator& op) {
    std::string all;
    for (const tosa::RegionId id : op.regions)
        if (id != tosa::kNoId)
            all += std::format(", region {}", tosa::quoted(graph.regions[id].name));
    return all;
}

std::string text(const tosa::Graph& graph, const tosa::Operator& op) {
    std::uint64_t constant = 0;
    for (const tosa::ValueId id : op.outputs)
        if (graph.values[id].constant()) constant += graph.values[id].data.size();
    return std::format("{:<24} ({}) -> {}{}{}{}\n", tosa::name(op.op), text(graph, op.inputs),
                       text(graph, op.outputs),
                       constant > 0 ? std::format(", {} bytes", constant) : "", regions(graph, op),
                       op.dead() ? ", dead" : "");
}

}  // namespace

std::string dump(const tosa::Graph& graph) {
    std::string lines;
    for (tosa::BlockId id = 0; id < graph.blocks.size(); ++id) {
        const tosa::Block& block = graph.blocks[id];
        lines += std::format("{}\ninputs   {}\noutputs  {}\n", tosa::block_place(graph, id),
                             text(graph, block.inputs), text(graph, block.outputs));
        for (const tosa::Operator& op : graph.operators_of(block))
            lines += text(graph, op);
    }
    return lines;
}

}  // namespace inspect
