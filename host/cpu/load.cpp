// SPDX-License-Identifier: MIT
#include "cpu/load.hpp"

#include <algorithm>

#include "tosa/graph.hpp"

namespace cpu {
namespace {

using provider::ErrorKind;
using provider::Result;

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

Result<Plan> plan(std::span<const std::byte> artifact, const Options& options) {
    const auto refuse = [&](std::string_view why, ErrorKind kind) {
        if (options.program_refused) options.program_refused(why);
        return std::unexpected(provider::Error(kind));
    };
    const auto graph = tosa::build_graph(artifact, tosa::kFloatTarget);
    if (!graph) return refuse(graph.error().message, kind_of(graph.error().kind));
    auto made = make_plan(*graph);
    if (!made) return refuse(made.error(), ErrorKind::Unsupported);
    return std::move(*made);
}

}  // namespace

Result<std::unique_ptr<ProgramObject>> load(ContextObject& context,
                                            const provider::ProgramDesc& desc,
                                            provider::ByteSource& source, const Options& options) {
    if (desc.format != tosa::kFormat) return std::unexpected(ErrorKind::Unsupported);
    if (desc.target != tosa::encode_target(tosa::kFloatTarget))
        return std::unexpected(ErrorKind::Incompatible);
    const std::uint64_t most = std::min(desc.resident_bytes, options.max_program_bytes);
    const std::uint64_t own_bytes = sizeof(ProgramObject) + source.size();
    if (own_bytes > most) return std::unexpected(ErrorKind::ResourceLimit);

    auto program = std::make_unique<ProgramObject>(context);
    program->artifact.resize(source.size());
    if (const auto read = source.read(0, program->artifact); !read)
        return std::unexpected(read.error());
    auto planned = plan(program->artifact, options);
    if (!planned) return std::unexpected(planned.error());
    program->plan = std::move(*planned);
    if (program->plan.bytes() > most - own_bytes) return std::unexpected(ErrorKind::ResourceLimit);

    program->arena = Memory(program->plan.arena_bytes, kCacheLine);
    for (const ConstantCopy& copy : program->plan.constant_copies)
        std::ranges::copy(copy.from, program->arena.data() + copy.arena_offset);
    return program;
}

}  // namespace cpu
