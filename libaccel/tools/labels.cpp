// SPDX-License-Identifier: MIT
#include "labels.hpp"

#include <limits>

namespace accelctl {

namespace {

constexpr std::size_t kPredictionsPerLine = 25;

std::size_t largest(const Tensor& tensor, std::span<const std::byte> contents, std::size_t row,
                    std::size_t classes) {
    std::size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < classes; ++i) {
        const double value = value_at(tensor.type, contents, row * classes + i);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

}  // namespace

double Score::percent() const {
    return 100.0 * static_cast<double>(right) / static_cast<double>(predictions.size());
}

std::string Score::report() const {
    std::string text = "predictions:\n";
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const bool last = i + 1 == predictions.size() || (i + 1) % kPredictionsPerLine == 0;
        text += fmt::format("{}{}", predictions[i], last ? '\n' : ' ');
    }
    return text +
           fmt::format("accuracy: {:.2f} % ({} of {})\n", percent(), right, predictions.size());
}

Outcome<Score> score(const Tensor& output, std::span<const std::byte> contents,
                     const Array& labels) {
    if (output.shape.empty())
        return failure("output '{}' has no classes to choose from", output.name);
    if (labels.element == Element::F2 || labels.element == Element::F4)
        return failure("labels must be integers, not '{}'", descr(labels.element));
    std::size_t rows = 1;  // cannot overflow: the contents fit in memory
    for (std::size_t i = 0; i + 1 < output.shape.size(); ++i)
        rows *= output.shape[i];
    const std::size_t count = labels.data.size() / bytes(labels.element);
    if (count != rows)
        return failure("{} labels for the {} rows of '{}' {}", count, rows, output.name,
                       to_string(output.shape));

    Score score;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t prediction = largest(output, contents, row, output.shape.back());
        score.predictions.push_back(prediction);
        if (integer_at(labels.element, labels.data, row) == static_cast<std::int64_t>(prediction))
            ++score.right;
    }
    return score;
}

}  // namespace accelctl
