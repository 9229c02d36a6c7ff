// SPDX-License-Identifier: MIT
#pragma once

#include "provider/provider.hpp"

namespace xdna::bench {

// The programs of tests/corpus that are of a template, a line for each in the form that
// tests/tally.sh has. What there is no kernel for is skipped. False if one failed, or none
// was run.
[[nodiscard]] bool run_corpus(provider::Provider& provider);

}  // namespace xdna::bench
