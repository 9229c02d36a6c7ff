// SPDX-License-Identifier: MIT
//
// What was measured, as a table for people, row by row, and as JSON for machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/vulkan/samples.hpp"

namespace vulkan::bench {

struct Row {
    // A case that the provider does not take has no numbers, only the reason in `note`.
    enum class Status : std::uint8_t { Measured, NotTaken, Wrong };

    std::string name;
    std::string domain;  // empty where there is no memory to speak of
    Status status = Status::Measured;
    std::string note{};
    std::optional<Samples> samples{};
    std::optional<double> bytes_per_second{};
    std::optional<double> operations_per_second{};
    std::optional<double> of_copy{};  // vkCmdCopyBuffer of as many bytes is 1
    std::optional<double> of_cpu{};   // the CPU provider is 1
    std::optional<double> allocations{};
};

class Report {
 public:
    // What the numbers hold for.
    Report(std::string device, std::string driver, bool quick);

    void add(Row row);  // prints it
    [[nodiscard]] bool right() const;
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    void print_summary() const;
    void write_json(const std::string& path) const;

 private:
    std::string device_, driver_;
    bool quick_;
    std::vector<Row> rows_;
};

}  // namespace vulkan::bench
