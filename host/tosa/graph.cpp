// SPDX-License-Identifier: MIT
#include "tosa/graph.hpp"

#include <new>

#include "tosa/analysis.hpp"
#include "tosa/file.hpp"
#include "tosa/module.hpp"
#include "tosa/order.hpp"
#include "tosa/structure.hpp"
#include "tosa/validate.hpp"

namespace tosa {
namespace {

// Only a CONST or CONST_SHAPE of its own makes a value constant.
void mark_constants(Graph& graph) {
    for (Value& value : graph.values) {
        if (value.producers != 1) continue;
        const Op producer = graph.operators[value.producer].op;
        const bool scalar_shape = value.type == DType::Shape && value.elements == 0;
        if ((producer == Op::Const || producer == Op::ConstShape) &&
            (scalar_shape || !value.data.empty()))
            value.constness = Constness::Serialized;
    }
}

// Contents of anything else mean nothing, but for a variable's initial value.
void drop_unconnected_data(Graph& graph) {
    for (Value& value : graph.values)
        if (!value.constant() && !value.variable) value.data = {};
}

Checked<Graph> build(std::span<const std::byte> artifact, const Target& target,
                     const Limits& limits, const AnalysisOptions& options) {
    const auto file = open_file(artifact, limits);
    if (!file) return std::unexpected(file.error());
    auto graph = read_module(*file, artifact, limits);
    if (!graph) return graph;
    graph->target = target;
    mark_constants(*graph);
    if (const auto sound = check_structure(*graph); !sound) return std::unexpected(sound.error());
    const auto order = execution_order(*graph);
    if (!order) return std::unexpected(order.error());
    drop_unconnected_data(*graph);
    if (const auto valid = validate(*graph); !valid) return std::unexpected(valid.error());
    apply_order(*graph, *order);
    analyze(*graph, options);
    return graph;
}

}  // namespace

std::expected<Graph, GraphError> build_graph(std::span<const std::byte> artifact,
                                             const Target& target, const Limits& limits,
                                             const AnalysisOptions& options) {
    try {
        return build(artifact, target, limits, options);
    } catch (const std::bad_alloc&) {
        // The text must not need memory: it fits in the string itself.
        return std::unexpected(
            GraphError{GraphError::Kind::OutOfMemory, Code::AllocationFailed, "out of memory"});
    }
}

}  // namespace tosa
