// SPDX-License-Identifier: MIT
//
// Runs a graph of any target with an engine, without a provider.
#pragma once

#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "cpu/plan_runner.hpp"
#include "tosa/graph_builder.hpp"

namespace cpu::test {

// A plan and the file that it points into.
struct Planned {
    Planned(const tosa::test::GraphBuilder& builder, Engine engine) : file(builder.file()) {
        auto graph = tosa::build_graph(file, tosa::kEveryTarget);
        REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
        auto made = make_plan(*graph, engine);
        REQUIRE_MESSAGE(made.has_value(), made.error());
        plan = std::move(*made);
    }

    [[nodiscard]] std::vector<Bytes> run(const std::vector<Bytes>& inputs) const {
        return test::run(plan, inputs);
    }

    Bytes file;
    Plan plan;
};

inline std::vector<Bytes> run_plan(const tosa::test::GraphBuilder& graph, Engine engine,
                                   const std::vector<Bytes>& inputs) {
    return Planned(graph, engine).run(inputs);
}

}  // namespace cpu::test
