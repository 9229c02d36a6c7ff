// SPDX-License-Identifier: MIT
//
// What REDUCE_* and products in slices have in common.
#pragma once

#include "vulkan/lowerer.hpp"

namespace vulkan {

// How a line becomes an element.
struct Fold {
    std::uint32_t join = shader::kAdd;  // the stage that joins two elements
    std::uint32_t nan_mode = shader::kPropagate;
    bool find = false;  // where the largest is: ARGMAX
};

// A tensor as lines of `length` elements, `stride` apart.
struct Lines {
    TensorId tensor = kNoTensor;
    std::uint32_t length = 1, stride = 1;
};

// Pushes `step`, whose chain takes what each line has become, rounded to `type`.
void add_fold(Lowerer& to, const Fold& fold, const Lines& lines, std::uint32_t type, Step step);

}  // namespace vulkan
