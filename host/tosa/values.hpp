// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tosa/diagnostic.hpp"
#include "tosa/source.hpp"
#include "tosa_generated.h"

namespace tosa {

// Appends the values of a block, tensors first, then shapes: name, type, extents and where
// its contents lie, each checked on its own. `values` has room for them.
[[nodiscard]] Checked<void> read_values(const fbs::TosaBasicBlock& block, BlockId id,
                                        Source& source, std::vector<Value>& values);

}  // namespace tosa
