// SPDX-License-Identifier: MIT
#include "tosa/structure.hpp"

#include <algorithm>

#include "tosa/control_flow.hpp"
#include "tosa/encoding.hpp"
#include "tosa/variables.hpp"

namespace tosa {
namespace {

Checked<void> check_target(const Target& target) {
    if (target.major != 1 || target.minor != 0 || target.patch != 0)
        return unsupported(Code::UnsupportedVersion,
                           "a target of TOSA {}.{}.{}, where 1.0.0 is wanted", target.major,
                           target.minor, target.patch);
    if (!decode_target(encode_target(target)))
        return malformed(Code::InvalidTarget, "the target's profiles and extensions do not match");
    return {};
}

Checked<void> check_encoding(const Value& tensor) {
    if (tensor.data.empty()) return {};
    const std::uint64_t wanted = constant_bytes(tensor.type, tensor.elements);
    if (tensor.data.size() != wanted)
        return malformed(Code::InvalidTensorData,
                         "tensor {}: {} bytes of data, where {} {} takes {}", quoted(tensor.name),
                         tensor.data.size(), name(tensor.type), text(tensor.dims), wanted);
    if (!valid_encoding(tensor.type, tensor.data))
        return malformed(Code::InvalidTensorData,
                         "tensor {}: its data holds something that is no {}", quoted(tensor.name),
                         name(tensor.type));
    return {};
}

Checked<void> check_shape_values(const Value& shape, std::uint32_t log2_size) {
    const std::int64_t last = static_cast<std::int64_t>((std::uint64_t{1} << log2_size) - 1);
    for (std::size_t i = 0; i < shape.data.size() / sizeof(std::int64_t); ++i) {
        const std::int64_t value = shape_value(shape.data, i);
        if (value < -last - 1 || value > last)
            return malformed(Code::ShapeValueLimit, "shape {} holds {}, outside the level's range",
                             quoted(shape.name), value);
    }
    return {};
}

Checked<void> check_value(const Value& value, std::uint32_t log2_size) {
    if (value.type == DType::Shape) return check_shape_values(value, log2_size);
    if (auto encoded = check_encoding(value); !encoded) return encoded;
    const std::uint64_t largest = (std::uint64_t{1} << log2_size) - 1;
    if (level_bytes(value.type, value.elements) > largest)
        return malformed(Code::TensorSizeLimit,
                         "tensor {} of {} {} is larger than the level's {} bytes",
                         quoted(value.name), name(value.type), text(value.dims), largest);
    return {};
}

Checked<void> check_io(const Graph& graph, std::span<const ValueId> ids, std::string_view what) {
    for (const ValueId id : ids) {
        const Value& value = graph.values[id];
        if (value.type == DType::Shape)
            return malformed(Code::GraphIoMustBeTensor, "{}: {} is a shape, not a tensor", what,
                             quoted(value.name));
        if (value.unranked)
            return malformed(Code::InvalidRank, "{}: {} is unranked", what, quoted(value.name));
    }
    return {};
}

// A value that something reads must come from somewhere.
Checked<void> check_source(const Value& value, bool is_input) {
    if (value.producer != kNoId || is_input) return {};
    return malformed(Code::DisconnectedSymbol,
                     "{} is neither a block input nor produced by an operator", quoted(value.name));
}

Checked<void> check_dataflow(const Graph& graph, const Block& block) {
    std::vector<bool> is_input(block.values);
    for (const ValueId id : block.inputs) {
        const Value& value = graph.values[id];
        if (is_input[id - block.first_value])
            return malformed(Code::DuplicateName, "block input {} is listed twice",
                             quoted(value.name));
        is_input[id - block.first_value] = true;
        if (value.producer != kNoId)
            return malformed(Code::GraphInputProduced, "block input {} is produced by operator {}",
                             quoted(value.name), value.producer - block.first_operator);
    }
    for (std::uint32_t i = 0; i < block.values; ++i) {
        const Value& value = graph.values[block.first_value + i];
        if (value.consumers == 0) continue;
        if (auto connected = check_source(value, is_input[i]); !connected) return connected;
    }
    for (const ValueId id : block.outputs)
        if (auto connected = check_source(graph.values[id], is_input[id - block.first_value]);
            !connected)
            return connected;
    return {};
}

Checked<void> check_block(const Graph& graph, const Block& block) {
    const std::uint32_t log2_size = level_limits(graph.target.level).log2_size;
    for (const Value& value : graph.values_of(block))
        if (auto checked = check_value(value, log2_size); !checked) return checked;
    for (const Value& value : graph.values_of(block))
        if (auto checked = check_variable(value, graph.target); !checked) return checked;
    return check_io(graph, block.inputs, "block inputs")
        .and_then([&] { return check_io(graph, block.outputs, "block outputs"); })
        .and_then([&] { return check_dataflow(graph, block); });
}

}  // namespace

Checked<void> check_structure(const Graph& graph) {
    if (auto target = check_target(graph.target); !target) return target;
    if (auto regions = check_region_references(graph); !regions) return regions;
    for (BlockId id = 0; id < graph.blocks.size(); ++id)
        if (const auto checked = check_block(graph, graph.blocks[id]); !checked)
            return std::unexpected(at(block_place(graph, id), checked.error()));
    return check_variables_agree(graph);
}

}  // namespace tosa
