// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "bench/xdna/load.hpp"

namespace xdna::bench {

struct Case {
    std::string name;
    Kernel kernel;
    double work = 0;        // of one run
    const char* unit = "";  // of work in a second
    std::size_t depth = 1;  // runs under way
    Bytes expected{};
};

// FP8 of 1,024 to 1,048,576 elements made BF16, and an INT8 product, alone and four at a time
// (providers.md 4.8).
[[nodiscard]] std::vector<Case> cases();

}  // namespace xdna::bench
