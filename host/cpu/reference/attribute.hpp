// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "tosa_generated.h"

namespace cpu::reference {

// A list of an attribute, which validation found to be there.
inline std::span<const std::int32_t> list(const flatbuffers::Vector<std::int32_t>* values) {
    return {values->data(), values->size()};
}

}  // namespace cpu::reference
