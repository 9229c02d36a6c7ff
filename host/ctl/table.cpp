// SPDX-License-Identifier: MIT
#include "ctl/table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <format>
#include <numeric>
#include <string_view>
#include <vector>

namespace ctl {

namespace {

using nlohmann::json;

std::uint64_t sum(const json& by_label) {
    return std::accumulate(
        by_label.begin(), by_label.end(), std::uint64_t{0},
        [](std::uint64_t total, const json& value) { return total + value.get<std::uint64_t>(); });
}

std::string bytes(std::uint64_t count) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    auto value = static_cast<double>(count);
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit)
        value /= 1024;
    return unit == 0 ? std::format("{} B", count) : std::format("{:.1f} {}", value, kUnits[unit]);
}

std::string number(const json& guest, std::string_view name) {
    return std::to_string(guest.at(name).get<std::uint64_t>());
}

// A guest whose device is lost is told from one that is well.
std::string state(const json& guest) {
    return guest.at("device_lost") != 0 ? "lost" : guest.at("state").get<std::string>();
}

std::uint64_t refused(const json& answers) {
    return sum(answers) - answers.at("OK").get<std::uint64_t>();
}

struct Column {
    std::string_view head;
    std::string (*cell)(const json& guest);
};

constexpr Column kColumns[] = {
    {"GUEST", [](const json& guest) { return number(guest, "guest"); }},
    {"PID", [](const json& guest) { return number(guest, "pid"); }},
    {"WORKER", [](const json& guest) { return number(guest, "worker_pid"); }},
    {"STATE", state},
    {"COMMANDS", [](const json& guest) { return number(guest, "commands"); }},
    {"REFUSED", [](const json& guest) { return std::to_string(refused(guest.at("answers"))); }},
    {"OBJECTS", [](const json& guest) { return std::to_string(sum(guest.at("objects"))); }},
    {"BUFFERS", [](const json& guest) { return bytes(guest.at("buffer_bytes")); }},
    {"PROGRAMS", [](const json& guest) { return bytes(guest.at("program_bytes")); }},
    {"IN-FLIGHT", [](const json& guest) { return number(guest, "chains_in_flight"); }},
    {"OLDEST",
     [](const json& guest) {
         return std::format("{:.1f} s", guest.at("oldest_chain_seconds").get<double>());
     }},
    {"RESETS", [](const json& guest) { return number(guest, "resets"); }},
    {"LOST", [](const json& guest) { return std::to_string(sum(guest.at("workers_lost"))); }},
};

using Line = std::vector<std::string>;

std::string laid_out(const std::vector<Line>& lines) {
    std::string text;
    std::vector<std::size_t> widths(std::size(kColumns));
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            text += std::format("{}{:>{}}", i == 0 ? "" : "  ", line[i], widths[i]);
        text += '\n';
    }
    return text;
}

}  // namespace

std::string table(const json& status) {
    std::vector<Line> lines(1);
    for (const Column& column : kColumns)
        lines.front().emplace_back(column.head);
    for (const json& guest : status.at("guests")) {
        lines.emplace_back();
        for (const Column& column : kColumns)
            lines.back().push_back(column.cell(guest));
    }
    return std::format(
               "virtio-acceld pid {}, provider {}: {} front ends so far, {} sessions failed\n",
               status.at("pid").get<std::uint64_t>(), status.at("provider").get<std::string>(),
               status.at("front_ends").get<std::uint64_t>(),
               status.at("sessions_failed").get<std::uint64_t>()) +
           laid_out(lines);
}

}  // namespace ctl
