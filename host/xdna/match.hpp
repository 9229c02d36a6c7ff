// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>

#include "tosa/graph.hpp"
#include "xdna/spec.hpp"

namespace xdna {

// The kernel that computes the whole graph, with the block's inputs and output in the spec's
// order of slots. The error says why there is none: anything that is not exactly one of the
// templates (providers.md 2.5), because a kernel reads the bound buffers and nothing else.
[[nodiscard]] std::expected<Spec, std::string> match(const tosa::Graph& graph);

}  // namespace xdna
