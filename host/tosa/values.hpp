// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"
#include "tosa_generated.h"

namespace tosa {

// A name that must be there, not be empty and stay within the limit. `what` says
// whose name it is.
[[nodiscard]] Checked<std::string_view> read_name(const flatbuffers::String* name,
                                                  std::string_view what, const Limits& limits);

// Reads the values of a block, tensors first, then shapes: name, type, extents and
// constant contents, each checked on its own.
[[nodiscard]] Checked<std::vector<Value>> read_values(const fbs::TosaBasicBlock& block,
                                                      std::span<const std::byte> file,
                                                      const Limits& limits);

}  // namespace tosa
