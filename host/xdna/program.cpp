// SPDX-License-Identifier: MIT
#include "xdna/program.hpp"

#include <algorithm>
#include <cerrno>

#include "xdna/match.hpp"
#include "xdna/store/has_slots.hpp"

namespace xdna {
namespace {

using provider::Access;
using provider::ByteSource;
using provider::ProgramDesc;
using provider::Slot;

bool serves(const tosa::Target& target) {
    return std::ranges::any_of(kTargets,
                               [&](const auto& served) { return tosa::within(target, served); });
}

Result<Binary> read_raw(ByteSource& source) {
    if (source.size() > kBinaryBytes) return std::unexpected(ErrorKind::ResourceLimit);
    std::vector<std::byte> bytes(source.size());
    if (auto read = source.read(0, bytes); !read) return std::unexpected(read.error());
    return from_container(bytes);
}

// The artifact and the graph that borrows it are gone when this returns.
Result<Spec> read_spec(const ProgramDesc& desc, ByteSource& source,
                       const provider::ProgramRefused& refused) {
    const auto artifact = provider::read_tosa(desc, source, serves, refused);
    if (!artifact) return std::unexpected(artifact.error());
    std::string why = provider::beyond_one_block(artifact->graph);
    if (why.empty()) {
        auto spec = match(artifact->graph);
        if (spec) return *spec;
        why = std::move(spec.error());
    }
    if (refused) refused(why);
    return std::unexpected(ErrorKind::Unsupported);
}

std::vector<Slot> slots_of(const Binary& binary, std::uint64_t alignment) {
    std::vector<Slot> slots;
    for (const std::uint64_t bytes : binary.inputs)
        slots.push_back({bytes, alignment, Access::Read});
    for (const std::uint64_t bytes : binary.outputs)
        slots.push_back({bytes, alignment, Access::Write});
    return slots;
}

}  // namespace

Result<Binary> find_binary(const ProgramDesc& desc, ByteSource& source, const Options& options) {
    if (desc.format == kBinaryFormat) {
        if (options.raw_binaries) return read_raw(source);
        return std::unexpected(ErrorKind::Unsupported);
    }
    const provider::ProgramRefused& refused = options.program_refused;
    const auto spec = read_spec(desc, source, refused);
    if (!spec) return std::unexpected(spec.error());
    auto binary = options.store
                      ? options.store->find(*spec, Effort::Compile)
                      : std::unexpected(NoBinary{ErrorKind::Unsupported, "there is no store"});
    if (binary && !has_slots(*binary, *spec))
        binary = std::unexpected(NoBinary{Error(kErrorDomain, EBADMSG), "it has other slots"});
    if (binary) return std::move(*binary);
    if (refused) refused(to_text(*spec) + ": no binary: " + binary.error().why);
    return std::unexpected(binary.error().error);
}

Result<std::shared_ptr<Kernel>> load_kernel(const Npu& npu, ContextPool& pool,
                                            std::shared_ptr<Quarantine> quarantine,
                                            const Binary& binary) {
    auto context = pool.acquire(binary.xclbin);
    if (!context) return std::unexpected(context.error());
    auto executable = (*context)->load(binary.entry, binary.instructions);
    if (!executable) return std::unexpected(executable.error());
    return std::make_shared<Kernel>(std::move(*context), std::move(*executable),
                                    slots_of(binary, npu.binding_alignment()),
                                    std::move(quarantine));
}

}  // namespace xdna
