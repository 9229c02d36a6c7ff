// SPDX-License-Identifier: MIT
#include "tosa/diagnostic.hpp"

#include <algorithm>
#include <iterator>

namespace tosa {
namespace {

constexpr std::string_view kCodeNames[] = {
    "EmptyInput",
    "MissingIdentifier",
    "InvalidFlatbuffer",
    "UnsupportedVersion",
    "LimitExceeded",
    "AllocationFailed",
    "MissingEntry",
    "MissingName",
    "EmptyName",
    "DuplicateName",
    "UnknownDataType",
    "UnsupportedDataType",
    "RankedTensorWithoutShape",
    "UnrankedTensorWithDimensions",
    "InvalidDimension",
    "InvalidShapeData",
    "ExternalDataRange",
    "UnknownOperator",
    "UnsupportedOperator",
    "MissingAttribute",
    "AttributeMismatch",
    "UnknownSymbol",
    "MultipleProducers",
    "InvalidTarget",
    "GraphIoMustBeTensor",
    "InvalidArity",
    "TensorListLimit",
    "ExpectedTensor",
    "ExpectedShape",
    "InvalidRank",
    "UnsupportedTypeProfile",
    "InvalidAttribute",
    "InvalidShape",
    "ConstantRequired",
    "InvalidConstantData",
    "InvalidTensorData",
    "TensorSizeLimit",
    "ShapeValueLimit",
    "InvalidVariable",
    "DisconnectedSymbol",
    "GraphInputProduced",
    "DataflowCycle",
    "UnknownControlFlowRegion",
    "ControlFlowSignature",
    "ControlFlowCycle",
    "ControlFlowNestingLimit",
};
static_assert(std::size(kCodeNames) == static_cast<std::size_t>(Code::ControlFlowNestingLimit) + 1);

}  // namespace

std::string_view name(GraphError::Code code) {
    return kCodeNames[static_cast<std::size_t>(code)];
}

std::string quoted(std::string_view name) {
    constexpr std::size_t kMaxShown = 64;

    std::string out = "'";
    for (const char c : name.substr(0, kMaxShown)) {
        if (c >= ' ' && c <= '~' && c != '\'' && c != '\\')
            out += c;
        else
            std::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
    out += name.size() > kMaxShown ? "...'" : "'";
    return out;
}

std::string text(std::span<const std::int32_t> dims) {
    std::string out = "[";
    for (const std::int32_t dim : dims)
        std::format_to(std::back_inserter(out), "{}{}", out.size() > 1 ? "," : "", dim);
    return out + "]";
}

std::string block_place(const Graph& graph, BlockId block) {
    const Block& place = graph.blocks[block];
    return std::format("region {}, block {}", quoted(graph.regions[place.region].name),
                       quoted(place.name));
}

std::string operator_place(std::size_t source_index, Op op) {
    return std::format("operator {} ({})", source_index, name(op));
}

std::string operator_place(const Graph& graph, OperatorId id) {
    const auto block =
        std::ranges::partition_point(graph.blocks, [&](const Block& b) { return b.end() <= id; });
    const Operator& op = graph.operators[id];
    return std::format("{}: {}",
                       block_place(graph, static_cast<BlockId>(block - graph.blocks.begin())),
                       operator_place(op.source, op.op));
}

}  // namespace tosa
