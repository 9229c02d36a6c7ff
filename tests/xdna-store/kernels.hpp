// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "xdna/binary.hpp"
#include "xdna/spec.hpp"

namespace xdna_store_test {

inline const xdna::Spec kSpec = xdna::Int8Matmul{.shape = {2, 3, 2}, .a_zero = -2, .b_zero = 3};

// With the spec's slots, and nothing that could run.
inline xdna::Binary binary_for(const xdna::Spec& spec) {
    xdna::Binary binary{
        .entry = "MLIR_AIE", .inputs = {}, .outputs = {}, .xclbin = {}, .instructions = {1, 2, 3}};
    for (const provider::Slot& slot : xdna::slots(spec))
        (slot.access == provider::Access::Read ? binary.inputs : binary.outputs)
            .push_back(slot.bytes);
    for (const char c : std::string_view("xclbin2"))
        binary.xclbin.push_back(static_cast<std::byte>(c));
    return binary;
}

}  // namespace xdna_store_test
