// SPDX-License-Identifier: MIT
#include "tosa/graph.hpp"

#include <new>

#include "tosa/block.hpp"
#include "tosa/file.hpp"
#include "tosa/order.hpp"
#include "tosa/validate.hpp"
#include "tosa/values.hpp"

namespace tosa {
namespace {

// Only CONST and CONST_SHAPE make a value constant: contents that any other
// operator, or none, produces mean nothing.
void drop_unconnected_data(Graph& graph) {
    for (Value& value : graph.values) {
        const Op producer =
            value.producer == kNoId ? Op::Identity : graph.operators[value.producer].op;
        if (producer != Op::Const && producer != Op::ConstShape) value.data = {};
    }
}

Checked<Graph> build_block(const fbs::TosaBasicBlock& block, std::span<const std::byte> artifact,
                           const Target& target, const Limits& limits) {
    auto graph = read_block(block, artifact, limits);
    if (!graph) return graph;
    graph->target = target;
    drop_unconnected_data(*graph);
    if (const auto valid = validate(*graph); !valid) return std::unexpected(valid.error());
    if (const auto ordered = order(*graph); !ordered) return std::unexpected(ordered.error());
    return graph;
}

// The only element of a vector of regions or blocks.
template <class T>
Checked<const T*> single(const flatbuffers::Vector<flatbuffers::Offset<T>>* vector,
                         std::string_view what, std::uint32_t limit) {
    if (vector == nullptr || vector->size() == 0) return malformed("there is no {}", what);
    if (vector->size() > limit) return exceeded(std::format("{}s", what), limit);
    if (vector->size() > 1)
        return unsupported("{} {}s, where 1 is supported", vector->size(), what);
    return vector->Get(0);
}

Checked<Graph> build(std::span<const std::byte> artifact, const Target& target,
                     const Limits& limits) {
    const auto file = open_file(artifact, limits);
    if (!file) return std::unexpected(file.error());
    const auto region = single((*file)->regions(), "region", limits.regions);
    if (!region) return std::unexpected(region.error());
    const auto region_name = read_name((*region)->name(), "region 0", limits);
    if (!region_name) return std::unexpected(region_name.error());
    const std::string in_region = std::format("region {}", quoted(*region_name));

    const auto block = single((*region)->blocks(), "block", limits.blocks);
    if (!block) return std::unexpected(at(in_region, block.error()));
    const auto block_name = read_name((*block)->name(), "block 0", limits);
    if (!block_name) return std::unexpected(at(in_region, block_name.error()));
    const std::string in_block = std::format("{}, block {}", in_region, quoted(*block_name));
    return build_block(**block, artifact, target, limits).transform_error([&](GraphError error) {
        return at(in_block, std::move(error));
    });
}

}  // namespace

std::expected<Graph, GraphError> build_graph(std::span<const std::byte> artifact,
                                             const Target& target, const Limits& limits) {
    if (target.major != 1 || target.minor != 0 || target.patch != 0)
        return unsupported("a target of TOSA {}.{}.{}, where 1.0.0 is wanted", target.major,
                           target.minor, target.patch);
    try {
        return build(artifact, target, limits);
    } catch (const std::bad_alloc&) {
        // The text must not need memory: it fits in the string itself.
        return std::unexpected(GraphError{GraphError::Kind::OutOfMemory, "out of memory"});
    }
}

}  // namespace tosa
