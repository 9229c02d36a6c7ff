// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "xdna/hardware.hpp"
#include "xdna/store.hpp"

namespace xdna::bench {

// The conformance suite, a line for each case in the form that tests/tally.sh has. False if
// one failed.
[[nodiscard]] bool run_conformance(const std::shared_ptr<Npu>& npu,
                                   const std::shared_ptr<Store>& store);

}  // namespace xdna::bench
