// SPDX-License-Identifier: MIT
#include "daemon/prometheus.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <doctest/doctest.h>

namespace daemon_test {

namespace {

bool is_name(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, allowed);
}

// Takes what comes before `end`, and `end`.
std::string_view take(std::string_view& text, std::string_view end) {
    const auto at = text.find(end);
    REQUIRE(at != std::string_view::npos);
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(at + end.size());
    return taken;
}

double number(std::string_view text) {
    double value = -1;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    REQUIRE(error == std::errc());
    REQUIRE(rest == text.data() + text.size());
    return value;
}

Labels parse_labels(std::string_view text) {
    Labels labels;
    while (!text.empty()) {
        const std::string key(take(text, "=\""));
        REQUIRE(is_name(key));
        const std::string_view value = take(text, "\"");
        REQUIRE_FALSE(value.contains('\\'));  // none of ours needs an escape
        REQUIRE(labels.try_emplace(key, value).second);
        if (!text.empty()) take(text, ",");
    }
    return labels;
}

void add_sample(Family& family, std::string_view labels, std::string_view value) {
    Sample sample{parse_labels(labels), number(value)};
    for (const Sample& other : family.samples)
        REQUIRE(other.labels != sample.labels);
    REQUIRE(sample.value >= 0);
    family.samples.push_back(std::move(sample));
}

}  // namespace

double Family::at(const Labels& labels) const {
    const auto found = std::ranges::find(samples, labels, &Sample::labels);
    REQUIRE(found != samples.end());
    return found->value;
}

std::map<std::string, Family> parse_metrics(std::string_view text) {
    std::map<std::string, Family> families;
    REQUIRE(text.ends_with('\n'));
    while (!text.empty()) {
        CAPTURE(text.substr(0, 80));
        REQUIRE(take(text, " ") == "#");
        REQUIRE(take(text, " ") == "HELP");
        const std::string name(take(text, " "));
        REQUIRE(is_name(name));
        REQUIRE(name.starts_with("virtio_accel_"));
        Family family{.type = {}, .help = std::string(take(text, "\n")), .samples = {}};
        REQUIRE_FALSE(family.help.empty());
        REQUIRE(take(text, " ") == "#");
        REQUIRE(take(text, " ") == "TYPE");
        REQUIRE(take(text, " ") == name);
        family.type = take(text, "\n");
        REQUIRE((family.type == "counter" || family.type == "gauge"));
        REQUIRE((family.type == "counter") == name.ends_with("_total"));
        // All samples of a family are behind its header, and nobody else's.
        while (text.starts_with("virtio_")) {
            std::string_view line = take(text, "\n");
            const std::string_view value = line.substr(line.rfind(' ') + 1);
            line.remove_suffix(value.size() + 1);
            REQUIRE(line.starts_with(name));
            line.remove_prefix(name.size());
            if (!line.empty()) {
                REQUIRE(line.starts_with('{'));
                REQUIRE(line.ends_with('}'));
                line = line.substr(1, line.size() - 2);
            }
            add_sample(family, line, value);
        }
        REQUIRE(families.try_emplace(name, std::move(family)).second);
    }
    return families;
}

}  // namespace daemon_test
