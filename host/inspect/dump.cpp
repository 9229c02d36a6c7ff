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

}  // namespace

std::string dump(const tosa::Graph& graph) {
    std::string lines = std::format("inputs   {}\noutputs  {}\n", text(graph, graph.inputs),
                                    text(graph, graph.outputs));
    for (const tosa::Operator& op : graph.operators) {
        std::uint64_t constant = 0;
        for (const tosa::ValueId id : op.outputs)
            constant += graph.values[id].data.size();
        lines += std::format("{:<24} ({}) -> {}{}{}\n", tosa::name(op.op), text(graph, op.inputs),
                             text(graph, op.outputs),
                             constant > 0 ? std::format(", {} bytes", constant) : "",
                             op.dead ? ", dead" : "");
    }
    return lines;
}

}  // namespace inspect
