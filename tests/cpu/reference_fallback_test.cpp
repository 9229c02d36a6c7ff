// SPDX-License-Identifier: MIT
#include "cpu/rig.hpp"

namespace cpu::test {
namespace {

TEST_CASE("reference: what has no fast kernel runs in a program by its reference function") {
    tosa::test::GraphBuilder graph;
    graph.input("a", {2}, tosa::DType::Int32).output("b", {2}, tosa::DType::Int32);
    graph.op(tosa::Op::Add, {"a", "a"}, {"b"});
    const Rig rig;
    const auto outputs = rig.run(graph, {tosa::test::bytes_of<std::int32_t>({5, -3})}, {8});
    CHECK(outputs[0] == tosa::test::bytes_of<std::int32_t>({10, -6}));
}

}  // namespace
}  // namespace cpu::test
