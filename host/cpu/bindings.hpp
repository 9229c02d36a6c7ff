// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cpu/objects.hpp"

namespace cpu {

// Holds bindings against the contract of submit() and against what the program
// takes: each slot once, its whole tensor, inputs read, outputs written, and no
// written range that anything else touches.
[[nodiscard]] provider::Result<void> check_bindings(const ContextObject& context,
                                                    const ProgramObject& program,
                                                    std::span<const provider::Binding> bindings,
                                                    std::uint32_t max_bindings);

}  // namespace cpu
