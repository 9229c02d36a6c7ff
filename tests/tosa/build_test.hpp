// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tosa/graph.hpp"
#include "tosa/graph_builder.hpp"

namespace tosa {

inline doctest::String toString(GraphError::Kind kind) {
    constexpr const char* kNames[] = {"Malformed", "Unsupported", "LimitExceeded", "OutOfMemory"};
    return kNames[static_cast<std::size_t>(kind)];
}

inline doctest::String toString(GraphError::Code code) {
    return name(code).data();
}

}  // namespace tosa

namespace tosa::test {

// The class on the wire of most codes.
inline GraphError::Kind kind_of(GraphError::Code code) {
    switch (code) {
        case Code::UnsupportedVersion:
        case Code::UnsupportedDataType:
        case Code::UnsupportedOperator:
            return GraphError::Kind::Unsupported;
        case Code::LimitExceeded:
            return GraphError::Kind::LimitExceeded;
        case Code::AllocationFailed:
            return GraphError::Kind::OutOfMemory;
        default:
            return GraphError::Kind::Malformed;
    }
}

inline constexpr Target kEverything{.profiles = kProfileInteger | kProfileFloat,
                                    .extensions = 0x7FF & ~kExtensionDynamic};

// input [2,3] -> IDENTITY -> output
inline GraphBuilder identity() {
    GraphBuilder graph;
    graph.input("input", {2, 3}).output("output", {2, 3});
    graph.op(Op::Identity, {"input"}, {"output"});
    return graph;
}

// A graph with the file that it points into.
struct Built {
    std::vector<std::byte> file;
    Graph graph;
};

inline Built built(std::vector<std::byte> file, const Target& target = kFloatTarget) {
    auto graph = build_graph(file, target);
    REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
    return {std::move(file), std::move(*graph)};
}

// CHECKs that the file is refused for this reason, and nothing else.
inline void check_refused(std::span<const std::byte> file, GraphError::Kind kind,
                          const std::string& message, const Target& target = kEverything,
                          const Limits& limits = {}) {
    const auto graph = build_graph(file, target, limits);
    REQUIRE_FALSE(graph.has_value());
    CHECK(graph.error().kind == kind);
    CHECK(graph.error().message == message);
}

inline void check_refused(std::span<const std::byte> file, Code code, const std::string& message,
                          const Target& target = kEverything, const Limits& limits = {}) {
    const auto graph = build_graph(file, target, limits);
    REQUIRE_FALSE(graph.has_value());
    CHECK(graph.error().code == code);
    CHECK(graph.error().kind == kind_of(code));
    CHECK(graph.error().message == message);
}

// The same for a sound region and block, which the message names.
inline void check_refused(const GraphBuilder& graph, GraphError::Kind kind,
                          const std::string& message, const Target& target = kEverything,
                          const Limits& limits = {}) {
    check_refused(graph.file(), kind, "region 'main', block 'entry': " + message, target, limits);
}

inline void check_refused(const GraphBuilder& graph, Code code, const std::string& message,
                          const Target& target = kEverything, const Limits& limits = {}) {
    check_refused(graph.file(), code, "region 'main', block 'entry': " + message, target, limits);
}

}  // namespace tosa::test
