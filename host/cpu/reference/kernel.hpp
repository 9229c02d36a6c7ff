// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cpu/kernel.hpp"

namespace cpu::reference {

// The operator as its specification reads, whatever that costs: what every other
// implementation is held against. Null where no function computes it.
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(const tosa::Graph& graph,
                                                  const tosa::Operator& op);

}  // namespace cpu::reference
