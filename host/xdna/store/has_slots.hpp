// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "xdna/binary.hpp"
#include "xdna/spec.hpp"

namespace xdna {

// Whether it takes what a kernel of the spec takes, which is asked of every binary that
// comes from outside of the process.
[[nodiscard]] inline bool has_slots(const Binary& binary, const Spec& spec) {
    std::vector<std::uint64_t> bytes = binary.inputs;
    bytes.insert(bytes.end(), binary.outputs.begin(), binary.outputs.end());
    return binary.outputs.size() == 1 &&
           std::ranges::equal(bytes, slots(spec), {}, {}, &provider::Slot::bytes);
}

}  // namespace xdna
