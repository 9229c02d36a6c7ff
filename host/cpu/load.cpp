// SPDX-License-Identifier: MIT
#include "cpu/load.hpp"

#include <algorithm>

#include "provider/tosa_artifact.hpp"

namespace cpu {
namespace {

using provider::ErrorKind;
using provider::Result;

Result<Plan> plan(const tosa::Graph& graph, const Options& options) {
    auto made = make_plan(graph, options.engine);
    if (made) return std::move(*made);
    if (options.program_refused) options.program_refused(made.error());
    return std::unexpected(ErrorKind::Unsupported);
}

}  // namespace

Result<std::unique_ptr<ProgramObject>> load(ContextObject& context,
                                            const provider::ProgramDesc& desc,
                                            provider::ByteSource& source, const Options& options) {
    const std::uint64_t most = std::min(desc.resident_bytes, options.max_program_bytes);
    const std::uint64_t own_bytes = sizeof(ProgramObject) + source.size();
    if (own_bytes > most) return std::unexpected(ErrorKind::ResourceLimit);

    auto artifact = provider::read_tosa(
        desc, source, [](const tosa::Target& target) { return tosa::within(target, kTarget); },
        options.program_refused);
    if (!artifact) return std::unexpected(artifact.error());
    auto planned = plan(artifact->graph, options);
    if (!planned) return std::unexpected(planned.error());
    auto program = std::make_unique<ProgramObject>(context);
    program->artifact = std::move(artifact->bytes);
    program->plan = std::move(*planned);
    if (program->plan.bytes(options.threads) > most - own_bytes)
        return std::unexpected(ErrorKind::ResourceLimit);

    program->arena = Memory(program->plan.arena_bytes, kCacheLine);
    program->scratch = Memory(
        program->plan.scratch_bytes * program->plan.most_threads(options.threads), kCacheLine);
    program->plan.initialise(program->arena.data());
    return program;
}

}  // namespace cpu
