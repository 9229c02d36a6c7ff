// SPDX-License-Identifier: MIT
#include "provider/tosa_artifact.hpp"

#include <format>

namespace provider {

namespace {

ErrorKind kind_of(tosa::GraphError::Kind kind) {
    switch (kind) {
        case tosa::GraphError::Kind::Malformed:
            return ErrorKind::InvalidArgument;
        case tosa::GraphError::Kind::Unsupported:
            return ErrorKind::Unsupported;
        case tosa::GraphError::Kind::LimitExceeded:
            return ErrorKind::ResourceLimit;
        case tosa::GraphError::Kind::OutOfMemory:
            return ErrorKind::OutOfMemory;
    }
    return ErrorKind::InvalidArgument;
}

}  // namespace

Result<TosaArtifact> read_tosa(const ProgramDesc& desc, ByteSource& source, ServesTarget serves,
                               const ProgramRefused& refused) {
    if (desc.format != tosa::kFormat) return std::unexpected(ErrorKind::Unsupported);
    const auto target = tosa::decode_target(desc.target);
    if (!target || !serves(*target)) return std::unexpected(ErrorKind::Incompatible);

    std::vector<std::byte> bytes(source.size());
    if (const auto read = source.read(0, bytes); !read) return std::unexpected(read.error());
    auto graph = tosa::build_graph(bytes, *target);
    if (!graph) {
        if (refused) refused(graph.error().message);
        return std::unexpected(kind_of(graph.error().kind));
    }
    return TosaArtifact{std::move(bytes), std::move(*graph)};
}

std::string beyond_one_block(const tosa::Graph& graph) {
    if (graph.regions.size() > 1)
        return std::format("{} regions, where 1 is supported", graph.regions.size());
    if (graph.blocks.size() > 1)
        return std::format("{} blocks, where 1 is supported", graph.blocks.size());
    return {};
}

}  // namespace provider
