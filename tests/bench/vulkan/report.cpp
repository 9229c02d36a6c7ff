// SPDX-License-Identifier: MIT
#include "bench/vulkan/report.hpp"

#include <algorithm>
#include <format>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <nlohmann/json.hpp>

namespace vulkan::bench {
namespace {

constexpr double kMicro = 1e6;
constexpr double kGiga = 1e-9;

std::string number(const std::optional<double>& value, double scale = 1) {
    if (!value) return {};
    return std::format("{:.{}f}", *value * scale, *value * scale < 10 ? 2 : 1);
}

const char* name(Row::Status status) {
    switch (status) {
        case Row::Status::Measured:
            return "measured";
        case Row::Status::NotTaken:
            return "not taken";
        case Row::Status::Wrong:
            return "wrong";
    }
    return "?";
}

void print(const Row& row) {
    std::cout << std::format("{:<44} {:<7}", row.name, row.domain);
    if (row.status == Row::Status::Measured) {
        const auto& samples = row.samples;
        std::cout << std::format(
            "{:>10} {:>10} {:>8} {:>9} {:>6} {:>6}  {}",
            samples ? std::format("{:.1f}", samples->median() * kMicro) : "",
            samples ? std::format("{:.1f}", samples->percentile(0.95) * kMicro) : "",
            number(row.bytes_per_second, kGiga), number(row.operations_per_second, kGiga),
            number(row.of_copy), number(row.of_cpu), row.note);
    } else {
        std::cout << std::format(" {}: {}", name(row.status), row.note);
    }
    std::cout << '\n' << std::flush;
}

nlohmann::json json_of(const Row& row) {
    nlohmann::json made{{"name", row.name}, {"status", name(row.status)}};
    if (!row.domain.empty()) made["domain"] = row.domain;
    if (!row.note.empty()) made["note"] = row.note;
    if (row.samples) {
        made["samples"] = row.samples->count();
        made["median_us"] = row.samples->median() * kMicro;
        for (const int percent : {5, 95, 99})
            made[std::format("p{}_us", percent)] =
                row.samples->percentile(percent / 100.0) * kMicro;
    }
    const auto put = [&](const char* key, const std::optional<double>& value) {
        if (value) made[key] = *value;
    };
    put("bytes_per_second", row.bytes_per_second);
    put("operations_per_second", row.operations_per_second);
    put("of_copy", row.of_copy);
    put("of_cpu", row.of_cpu);
    put("allocations", row.allocations);
    return made;
}

}  // namespace

Report::Report(std::string device, std::string driver, bool quick)
    : device_(std::move(device)), driver_(std::move(driver)), quick_(quick) {
    std::cout << std::format("{} ({}), {} processors{}\n\n", device_, driver_,
                             std::thread::hardware_concurrency(), quick_ ? ", quick" : "")
              << std::format("{:<44} {:<7}{:>10} {:>10} {:>8} {:>9} {:>6} {:>6}\n", "", "memory",
                             "median us", "p95 us", "GB/s", "Gop/s", "/copy", "/cpu")
              << std::flush;
}

void Report::add(Row row) {
    print(row);
    rows_.push_back(std::move(row));
}

bool Report::right() const {
    return std::ranges::find(rows_, Row::Status::Wrong, &Row::status) == rows_.end();
}

void Report::print_summary() const {
    const auto count = [&](Row::Status status) {
        return std::ranges::count(rows_, status, &Row::status);
    };
    std::cout << std::format("\n{} measured, {} not taken, {} wrong\n",
                             count(Row::Status::Measured), count(Row::Status::NotTaken),
                             count(Row::Status::Wrong));
}

void Report::write_json(const std::string& path) const {
    nlohmann::json rows = nlohmann::json::array();
    for (const Row& row : rows_)
        rows.push_back(json_of(row));
    const nlohmann::json all{{"device", device_},
                             {"driver", driver_},
                             {"processors", std::thread::hardware_concurrency()},
                             {"quick", quick_},
                             {"rows", rows}};
    std::ofstream file(path);
    if (!(file << all.dump(2) << '\n' << std::flush))
        throw std::runtime_error("cannot write " + path);
}

}  // namespace vulkan::bench
