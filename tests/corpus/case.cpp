// SPDX-License-Identifier: MIT
#include "corpus/case.hpp"

#include <format>
#include <fstream>

#include <nlohmann/json.hpp>

#include "tosa/encoding.hpp"

namespace corpus {
namespace {

using Json = nlohmann::ordered_json;
using std::filesystem::path;

std::string to_hex(const Bytes& bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += std::format("{:02x}", static_cast<unsigned>(byte));
    return text;
}

Bytes from_hex(const std::string& text) {
    Bytes bytes;
    for (std::size_t at = 0; at < text.size(); at += 2)
        bytes.push_back(static_cast<std::byte>(std::stoul(text.substr(at, 2), nullptr, 16)));
    return bytes;
}

tosa::DType type_named(const std::string& wanted) {
    for (std::uint32_t number = 1; number <= 12; ++number)
        if (tosa::name(tosa::DType{number}) == wanted) return tosa::DType{number};
    throw std::invalid_argument(wanted + " is no data type");
}

Json to_json(const Tensor& tensor) {
    return {
        {"type", tosa::name(tensor.type)}, {"shape", tensor.shape}, {"data", to_hex(tensor.data)}};
}

Tensor tensor_of(const Json& json) {
    Tensor tensor{type_named(json.at("type")), json.at("shape"), from_hex(json.at("data"))};
    const std::uint64_t bytes = tosa::buffer_bytes(tensor.type, tosa::element_count(tensor.shape));
    if (tensor.data.size() != bytes)
        throw std::invalid_argument(
            std::format("{} bytes of data, where its shape takes {}", tensor.data.size(), bytes));
    return tensor;
}

// The words that tosa::parse_target() reads.
std::string words_of(const tosa::Target& target) {
    std::string text = tosa::describe(target).substr(sizeof "TOSA 1.0.0");
    for (const auto& [from, to] :
         {std::pair{", no level", ""}, {"level 8K", "level-8k"}, {", ", ","}, {" ", ","}})
        for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
            text.replace(at, std::char_traits<char>::length(from), to);
    return text;
}

Bytes read_bytes(const path& from) {
    Bytes bytes(std::filesystem::file_size(from));
    std::ifstream file(from, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) throw std::runtime_error("cannot be read");
    return bytes;
}

Case case_of(const Json& json, const path& folder) {
    Case result{.name = json.at("name")};
    const auto target = tosa::parse_target(json.at("target").get<std::string>());
    if (!target) throw std::invalid_argument(target.error());
    result.target = *target;
    result.program = read_bytes(folder / (result.name + ".tosa"));
    for (const Json& input : json.at("inputs"))
        result.inputs.push_back(tensor_of(input));
    for (const Json& output : json.at("outputs"))
        result.outputs.push_back(tensor_of(output));
    result.tolerance = {json.value("absolute", 0.0), json.value("relative", 0.0),
                        json.value("ulp", 0U)};
    return result;
}

Json to_json(const Case& each) {
    Json json{{"name", each.name}, {"target", words_of(each.target)}};
    for (const Tensor& input : each.inputs)
        json["inputs"].push_back(to_json(input));
    for (const Tensor& output : each.outputs)
        json["outputs"].push_back(to_json(output));
    if (each.tolerance.absolute != 0) json["absolute"] = each.tolerance.absolute;
    if (each.tolerance.relative != 0) json["relative"] = each.tolerance.relative;
    if (each.tolerance.ulp != 0) json["ulp"] = each.tolerance.ulp;
    return json;
}

}  // namespace

std::expected<std::vector<Case>, std::string> read_cases(const path& folder) {
    const path list = folder / "corpus.json";
    std::vector<Case> cases;
    try {
        const Json parsed = Json::parse(std::ifstream(list));
        for (const Json& json : parsed.at("cases"))
            cases.push_back(case_of(json, folder));
    } catch (const std::exception& error) {
        return std::unexpected(
            std::format("{}: case {}: {}", list.string(), cases.size(), error.what()));
    }
    return cases;
}

void write_cases(const path& folder, const std::vector<Case>& cases) {
    Json list = Json::array();
    for (const Case& each : cases) {
        list.push_back(to_json(each));
        std::ofstream(folder / (each.name + ".tosa"), std::ios::binary)
            .write(reinterpret_cast<const char*>(each.program.data()),
                   static_cast<std::streamsize>(each.program.size()));
    }
    std::ofstream(folder / "corpus.json") << Json{{"cases", list}}.dump(1) << '\n';
}

}  // namespace corpus
