// SPDX-License-Identifier: MIT
//
// The fast engine against the reference, on graphs that nobody thought of.
#include "cpu/random_graph.hpp"

#include <random>

#include <doctest/doctest.h>

#include "cpu/plan_runner.hpp"

namespace cpu::test {
namespace {

TEST_CASE("both engines compute the same of random graphs") {
    constexpr int kGraphs = 400;
    std::mt19937 random(20261130);
    std::size_t operators = 0;
    for (int i = 0; i < kGraphs; ++i) {
        std::vector<std::uint8_t> choices(4096);
        std::ranges::generate(choices, [&] { return static_cast<std::uint8_t>(random()); });
        const RandomGraph made = random_graph({choices.data(), choices.size()});
        const auto file = made.graph.file();
        const auto graph = tosa::build_graph(file, kRandomTarget);
        INFO("graph " << i);
        REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
        operators += graph->operators.size();
        const auto fast = make_plan(*graph, Engine::Fast);
        const auto plain = make_plan(*graph, Engine::Reference);
        REQUIRE_MESSAGE(plain.has_value(), plain.error());
        REQUIRE_MESSAGE(fast.has_value(), fast.error());
        const auto got = run(*fast, made.inputs);
        const auto expected = run(*plain, made.inputs);
        for (std::size_t k = 0; k < made.outputs.size(); ++k) {
            INFO("output " << made.graph.outputs[k]);
            CHECK(corpus::difference({made.outputs[k].type, made.outputs[k].shape, expected[k]},
                                     got[k], made.tolerances[k]) == "");
        }
    }
    CHECK(operators > 10 * kGraphs);
}

}  // namespace
}  // namespace cpu::test
