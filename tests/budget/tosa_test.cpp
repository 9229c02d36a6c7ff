// SPDX-License-Identifier: MIT
#include "budget/allocations.hpp"
#include "tosa/analysed.hpp"
#include "tosa/runtime_values.hpp"

using namespace tosa;
using namespace tosa::test;

// Of no command, so without a row in docs/performance-budgets.json.
TEST_CASE("runtime values are held against their rules without allocating") {
    GraphBuilder graph;
    graph.input("in", {2}, DType::Int8).input("zp", {1}, DType::Int8);
    graph.output("out", {2}, DType::Int8).op(Op::Negate, {"in", "zp", "zp"}, {"out"});
    const Analysed negate = analysed(graph, kDynamic);
    const std::byte zero{};
    const RuntimeValue good{.value = 1, .contents = {&zero, 1}};
    const RuntimeValue bad{.value = 1, .contents = {}};

    const budget::Allocations allocations;
    const auto accepted = validate_runtime_values(negate.graph, {&good, 1});
    const auto refused = validate_runtime_values(negate.graph, {&bad, 1});
    const auto missing = validate_runtime_values(negate.graph, {});
    const std::uint64_t calls = allocations.calls();
    CHECK(calls == 0);
    CHECK(accepted.has_value());
    CHECK_FALSE(refused.has_value());
    CHECK_FALSE(missing.has_value());
}
