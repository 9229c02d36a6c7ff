// SPDX-License-Identifier: MIT
//
// What every provider of TOSA programs does first in load_program().
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/provider.hpp"
#include "tosa/graph.hpp"

namespace provider {

// Told, by the thread that loads it, why a program was refused. May be empty.
using ProgramRefused = std::function<void(std::string_view)>;

// An artifact out of the guest's reach, and the graph that borrows its bytes.
struct TosaArtifact {
    std::vector<std::byte> bytes;
    tosa::Graph graph;
};

// Whether a provider serves programs that were made for this target.
using ServesTarget = bool (*)(const tosa::Target& target);

// A format that is not TOSA is Unsupported, a target that is not served Incompatible, and
// a graph that cannot be built InvalidArgument, Unsupported, ResourceLimit or OutOfMemory.
// May throw bad_alloc.
[[nodiscard]] Result<TosaArtifact> read_tosa(const ProgramDesc& desc, ByteSource& source,
                                             ServesTarget serves, const ProgramRefused& refused);

// Why a provider without control flow does not run a valid program; empty where it may.
[[nodiscard]] std::string beyond_one_block(const tosa::Graph& graph);

}  // namespace provider
