// SPDX-License-Identifier: MIT
//
// Scores of a classifier against the right answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model.hpp"

namespace accelctl {

struct Score {
    std::vector<std::size_t> predictions;  // class with the largest value, one a row
    std::size_t right = 0;

    [[nodiscard]] double percent() const;
    // The predictions and "accuracy: 97.56 % (439 of 450)".
    [[nodiscard]] std::string report() const;
};

// The rows are all dimensions of the output but the last, the classes; `labels` has
// one integer for each row. The first of equals wins; NaN never does.
[[nodiscard]] Outcome<Score> score(const Tensor& output, std::span<const std::byte> contents,
                                   const Array& labels);

}  // namespace accelctl
