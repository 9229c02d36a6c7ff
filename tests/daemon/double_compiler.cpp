// SPDX-License-Identifier: MIT
//
// double-compiler --versions | DIRECTORY: a compiler by docs/providers/xdna-compiler.md, of
// what the double of XRT takes for kernels. No array could run them.
#include <exception>
#include <filesystem>
#include <fstream>
#include <print>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "xdna/double/binaries.hpp"

namespace {

using nlohmann::json;

const json kVersions{{"double", "1"}};

template <class T>
void write(const std::filesystem::path& path, const std::vector<T>& data) {
    const auto bytes = std::as_bytes(std::span(data));
    std::ofstream file(path, std::ios::binary);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void compile(const std::filesystem::path& directory) {
    std::ifstream question(directory / "spec.json");
    const auto spec = xdna::from_text(json::parse(question).at("text").get<std::string>()).value();
    const xdna::Binary binary = xrt_double::binary(spec);
    write(directory / "kernel.xclbin", binary.xclbin);
    write(directory / "instructions.bin", binary.instructions);
    const std::string result = json{
        {"schema", 1},
        {"ok", true},
        {"stage", "done"},
        {"entry", binary.entry},
        {"versions", kVersions},
        {"input_bytes", binary.inputs},
        {"output_bytes",
         binary.outputs}}.dump();
    write(directory / "result.json", std::vector(result.begin(), result.end()));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) return 2;
        if (std::string(argv[1]) == "--versions")
            std::println("{}", json{{"schema", 1}, {"versions", kVersions}}.dump());
        else
            compile(argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::println(stderr, "double-compiler: {}", error.what());
        return 1;
    }
}
