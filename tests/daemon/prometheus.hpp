// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace daemon_test {

using Labels = std::map<std::string, std::string>;

struct Sample {
    Labels labels;
    double value;
};

struct Family {
    std::string type;
    std::string help;
    std::vector<Sample> samples;

    // Fails the test unless there is exactly one sample with these labels.
    [[nodiscard]] double at(const Labels& labels = {}) const;
};

// Reads Prometheus' text format 0.0.4, and fails the test over anything that a strict
// reader could object to.
[[nodiscard]] std::map<std::string, Family> parse_metrics(std::string_view text);

}  // namespace daemon_test
