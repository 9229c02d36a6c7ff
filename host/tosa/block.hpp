// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/diagnostic.hpp"
#include "tosa/name_index.hpp"
#include "tosa/source.hpp"
#include "tosa_generated.h"

namespace tosa {

// What block after block is read with.
struct BlockScope {
    Source& source;
    const NameIndex& regions;
    NameIndex symbols;  // of the block at hand
};

// Reads the last of graph.blocks: names become ids, every reference inside the block
// resolves, every value has at most one producer, and every operator is known and carries
// its own attribute. Operators come in source order. The graph's vectors have room: they
// never move, for spans point into them.
[[nodiscard]] Checked<void> read_block(const fbs::TosaBasicBlock& serialized, BlockScope& scope,
                                       Graph& graph);

}  // namespace tosa
