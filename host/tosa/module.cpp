// SPDX-License-Identifier: MIT
#include "tosa/module.hpp"

#include "tosa/block.hpp"

namespace tosa {
namespace {

class ModuleReader {
 public:
    ModuleReader(const File& file, std::span<const std::byte> bytes, const Limits& limits)
        : file_(file), source_(bytes, limits), scope_{source_, regions_, {}} {}

    [[nodiscard]] Checked<Graph> read() && {
        const Census& census = file_.census;
        if (census.regions == 0) return malformed(Code::MissingEntry, "there is no region");
        graph_.regions.reserve(census.regions);
        graph_.blocks.reserve(census.blocks);
        graph_.values.reserve(std::size_t{census.tensors} + census.shapes);
        graph_.operators.reserve(census.operators);
        graph_.operands.reserve(census.edges);
        scope_.symbols.reserve(std::size_t{census.tensors} + census.shapes);
        block_names_.reserve(census.blocks);

        if (const auto named = read_region_names(); !named) return std::unexpected(named.error());
        for (RegionId id = 0; id < census.regions; ++id)
            if (const auto read = read_region(id); !read) return std::unexpected(read.error());
        graph_.inputs = graph_.blocks.front().inputs;
        graph_.outputs = graph_.blocks.front().outputs;
        return std::move(graph_);
    }

 private:
    [[nodiscard]] Checked<void> read_region_names() {
        regions_.reserve(file_.census.regions);
        for (RegionId id = 0; id < file_.census.regions; ++id) {
            const auto name = source_.name(file_.graph->regions()->Get(id)->name(), {"region", id});
            if (!name) return std::unexpected(name.error());
            graph_.regions.push_back({.name = *name});
            regions_.add(*name, id);
        }
        if (const auto twice = regions_.sort())
            return malformed(Code::DuplicateName, "two regions are named {}", quoted(*twice));
        return {};
    }

    [[nodiscard]] Checked<void> read_region(RegionId id) {
        if (const auto named = read_block_names(id); !named) {
            const std::string place = std::format("region {}", quoted(graph_.regions[id].name));
            return std::unexpected(at(place, named.error()));
        }
        for (const fbs::TosaBasicBlock* block : *file_.graph->regions()->Get(id)->blocks())
            if (auto read = read_one(*block, id); !read) return read;
        return {};
    }

    [[nodiscard]] Checked<void> read_block_names(RegionId id) {
        const auto* blocks = file_.graph->regions()->Get(id)->blocks();
        if (blocks == nullptr || blocks->size() == 0)
            return malformed(Code::MissingEntry, "there is no block");
        graph_.regions[id].first_block = static_cast<BlockId>(graph_.blocks.size());
        graph_.regions[id].blocks = blocks->size();
        block_names_.clear();
        for (std::uint32_t i = 0; i < blocks->size(); ++i) {
            const auto name = source_.name(blocks->Get(i)->name(), {"block", i});
            if (!name) return std::unexpected(name.error());
            block_names_.add(*name, i);
        }
        if (const auto twice = block_names_.sort())
            return malformed(Code::DuplicateName, "two blocks are named {}", quoted(*twice));
        return {};
    }

    [[nodiscard]] Checked<void> read_one(const fbs::TosaBasicBlock& serialized, RegionId region) {
        graph_.blocks.push_back(
            {.name = serialized.name()->string_view(),
             .region = region,
             .first_value = static_cast<ValueId>(graph_.values.size()),
             .first_operator = static_cast<OperatorId>(graph_.operators.size())});
        return read_block(serialized, scope_, graph_).transform_error([&](GraphError error) {
            return at(block_place(graph_, static_cast<BlockId>(graph_.blocks.size() - 1)),
                      std::move(error));
        });
    }

    const File& file_;
    Source source_;
    NameIndex regions_;
    NameIndex block_names_;
    BlockScope scope_;
    Graph graph_;
};

}  // namespace

Checked<Graph> read_module(const File& file, std::span<const std::byte> bytes,
                           const Limits& limits) {
    return ModuleReader(file, bytes, limits).read();
}

}  // namespace tosa
