// SPDX-License-Identifier: MIT
//
// Files that another writer made, where they are at hand; otherwise our own of the
// same graphs.
#include <filesystem>
#include <fstream>

#include "tosa/build_test.hpp"

namespace tosa::test {
namespace {

const std::filesystem::path kFixtures = "../shared/tosa";

std::vector<std::byte> read(const std::filesystem::path& path) {
    std::vector<std::byte> bytes(std::filesystem::file_size(path));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(file.good());
    return bytes;
}

std::vector<std::byte> fixture(const std::string& name, const GraphBuilder& same_graph) {
    const auto path = kFixtures / (name + "-v1.0.0.tosa");
    return std::filesystem::exists(path) ? read(path) : same_graph.file();
}

TEST_CASE("every file of the other writer is valid" *
          doctest::skip(!std::filesystem::exists(kFixtures))) {
    for (const auto& entry : std::filesystem::directory_iterator(kFixtures)) {
        CAPTURE(entry.path().string());
        const auto file = read(entry.path());
        const auto graph = build_graph(file, kEveryTarget);
        CHECK_MESSAGE(graph.has_value(), graph.error().message);
    }
}

TEST_CASE("the IDENTITY fixture is a graph of one operator") {
    GraphBuilder same;
    same.input("input", {8}).output("output", {8}).op(Op::Identity, {"input"}, {"output"});
    const auto [file, graph] = built(fixture("identity-edges-fp32", same));
    REQUIRE(graph.operators.size() == 1);
    CHECK(graph.operators[0].op == Op::Identity);
    CHECK(graph.values[graph.inputs[0]].bytes == 32);
    CHECK(graph.values[graph.outputs[0]].name == "output");
}

TEST_CASE("the MATMUL fixture is a graph with constant zero points") {
    GraphBuilder same;
    same.input("lhs", {1, 2, 3}).input("rhs", {1, 3, 2}).output("output", {1, 2, 2});
    same.matmul("lhs", "rhs", "output");
    const auto [file, graph] = built(fixture("matmul-fp32", same));
    REQUIRE(graph.operators.size() == 3);
    CHECK(graph.operators[2].op == Op::MatMul);
    CHECK(graph.operators[2].inputs.size() == 4);
    CHECK(graph.values[graph.operators[2].inputs[3]].constant());
    CHECK(graph.inputs.size() == 2);
}

}  // namespace
}  // namespace tosa::test
