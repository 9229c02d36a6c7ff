// SPDX-License-Identifier: MIT
//
// Programs: the bytes choose a valid graph and what goes in; both engines of the CPU
// provider have to compute the same of it.
#include "cpu/plan_runner.hpp"
#include "cpu/random_graph.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto made = cpu::test::random_graph({data, size});
    const auto file = made.graph.file();
    const auto graph = tosa::build_graph(file, cpu::test::kRandomTarget);
    fuzz::require(graph.has_value(), "what the generator makes is valid");
    const auto fast = cpu::make_plan(*graph, cpu::Engine::Fast);
    const auto plain = cpu::make_plan(*graph, cpu::Engine::Reference);
    fuzz::require(fast && plain, "every operator is computed");
    const auto got = cpu::test::run(*fast, made.inputs);
    const auto expected = cpu::test::run(*plain, made.inputs);
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto why = corpus::difference(
            {made.outputs[i].type, made.outputs[i].shape, expected[i]}, got[i], made.tolerances[i]);
        fuzz::require(why.empty(), why.c_str());
    }
    return 0;
}
