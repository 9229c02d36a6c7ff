// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"
#include "tosa_generated.h"

namespace tosa {

// Reads one block: names become ids (tensors first, then shapes), every reference
// resolves, every value has at most one producer, and every operator is known and
// carries its own attribute. Operators come in source order, without liveness.
// `file` is where external constants lie.
[[nodiscard]] Checked<Graph> read_block(const fbs::TosaBasicBlock& block,
                                        std::span<const std::byte> file, const Limits& limits);

}  // namespace tosa
