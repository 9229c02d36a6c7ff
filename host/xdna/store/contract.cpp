// SPDX-License-Identifier: MIT
#include "xdna/store/contract.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <string_view>

#include <nlohmann/json.hpp>

namespace xdna::contract {

namespace {

using nlohmann::json;

constexpr std::string_view kStages[] = {"spec-rejected", "template", "compile", "package"};

// A number where it is one, and a word such as "e4m3" where not.
json value_of(std::string_view word) {
    std::int64_t number = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc() && rest == end) return number;
    return word;
}

// Not an object, if it does not have the schema.
json parse(const std::string& text) {
    json value = json::parse(text, nullptr, false);
    const auto schema = value.is_object() ? value.find("schema") : value.end();
    if (!value.is_object() || schema == value.end() || *schema != kSchema) return nullptr;
    return value;
}

std::string text_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::string> versions_at(const json& object) {
    const auto found = object.find("versions");
    if (found == object.end() || !found->is_object() || found->empty() ||
        !std::ranges::all_of(*found, [](const json& version) { return version.is_string(); }))
        return std::nullopt;
    // In the order of the keys, and with all but ASCII escaped.
    return found->dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<std::vector<std::uint64_t>> sizes_at(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array() ||
        !std::ranges::all_of(*found, [](const json& size) { return size.is_number_unsigned(); }))
        return std::nullopt;
    return found->get<std::vector<std::uint64_t>>();
}

}  // namespace

std::string spec_json(const Spec& spec) {
    const std::string text = to_text(spec);
    json out{{"schema", kSchema}, {"text", text}};
    json& fields = out["fields"] = json::object();
    for (const auto word : std::views::split(text, ' ')) {
        const std::string_view field(word.begin(), word.end());
        const std::size_t equals = field.find('=');
        if (equals == std::string_view::npos)
            out["kind"] = field;
        else
            fields[std::string(field.substr(0, equals))] = value_of(field.substr(equals + 1));
    }
    for (const char* key : {"input_bytes", "output_bytes"})
        out[key] = json::array();
    for (const provider::Slot& slot : slots(spec))
        out[slot.access == provider::Access::Read ? "input_bytes" : "output_bytes"].push_back(
            slot.bytes);
    return out.dump(2) + '\n';
}

std::optional<std::string> read_versions(const std::string& text) {
    const json value = parse(text);
    return value.is_object() ? versions_at(value) : std::nullopt;
}

std::expected<Result, NoResult> read_result(const std::string& text) {
    const json value = parse(text);
    if (!value.is_object()) return std::unexpected(NoResult{{}, "no result of this schema"});
    const auto ok = value.find("ok");
    const std::string stage = text_at(value, "stage");
    if (ok == value.end() || *ok != true || stage != "done") {
        const bool known = std::ranges::contains(kStages, stage);
        return std::unexpected(NoResult{known ? stage : "", text_at(value, "message")});
    }
    auto versions = versions_at(value);
    auto inputs = sizes_at(value, "input_bytes");
    auto outputs = sizes_at(value, "output_bytes");
    if (!versions || !inputs || !outputs)
        return std::unexpected(NoResult{{}, "a result with parts missing"});
    return Result{.versions = std::move(*versions),
                  .entry = text_at(value, "entry"),
                  .inputs = std::move(*inputs),
                  .outputs = std::move(*outputs)};
}

}  // namespace xdna::contract
