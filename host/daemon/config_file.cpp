// SPDX-License-Identifier: MIT
#include "daemon/config_file.hpp"

#include <cerrno>
#include <filesystem>
#include <format>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.hpp>

#include "vhost/failure.hpp"

namespace acceld {

namespace {

std::optional<std::string> text(const toml::node& node) {
    if (const auto* string = node.as_string()) return string->get();
    if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    return std::nullopt;
}

// Nothing if `node` is something that no option has.
std::optional<std::vector<std::string>> texts(const toml::node& node) {
    std::vector<std::string> all;
    const auto append = [&all](const toml::node& value) {
        auto one = text(value);
        // An empty word would make a command line out of step.
        if (!one || one->empty()) return false;
        all.push_back(*std::move(one));
        return true;
    };
    if (const toml::array* array = node.as_array()) {
        for (const toml::node& value : *array)
            if (!append(value)) return std::nullopt;
    } else if (!append(node)) {
        return std::nullopt;
    }
    return all;
}

}  // namespace

std::vector<std::string> Setting::arguments() const {
    std::vector<std::string> all;
    for (const std::string& value : values)
        all.push_back(std::format("--{}={}", key, value));
    return all;
}

std::expected<std::vector<Setting>, std::string> read_settings(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return vhost::failure(path, EISDIR);
    std::ifstream file(path);
    if (!file) return vhost::failure(path, errno);
    const std::string content(std::istreambuf_iterator<char>(file), {});
    const toml::parse_result parsed = toml::parse(content, path);
    if (!parsed) {
        return std::unexpected(std::format("{}:{}: {}", path, parsed.error().source().begin.line,
                                           parsed.error().description()));
    }
    std::vector<Setting> settings;
    for (const auto& [key, node] : parsed.table()) {
        auto values = texts(node);
        const auto place = std::format("{}:{}", path, key.source().begin.line);
        if (!values)
            return std::unexpected(std::format(
                "{}: {}: a string, an integer, true, false or an array of them is wanted", place,
                key.str()));
        settings.push_back({place, std::string(key.str()), *std::move(values)});
    }
    return settings;
}

}  // namespace acceld
