// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "xdna/provider.hpp"
#include "xdna/spec.hpp"

namespace xdna {

// A kernel, and what it makes of some inputs, to the bit.
struct KnownAnswer {
    Spec spec;
    std::vector<std::vector<std::byte>> inputs;
    std::vector<std::byte> output;
};

[[nodiscard]] std::vector<KnownAnswer> known_answers();

// Asks the device for those whose kernels need not be compiled, the way that every program is
// run. How many it got right; the error names the first that it did not.
[[nodiscard]] std::expected<std::size_t, std::string> self_test(
    XdnaProvider& provider, std::span<const KnownAnswer> answers);

}  // namespace xdna
