// SPDX-License-Identifier: MIT
#include <format>

#include "cpu/fast_elementwise.hpp"
#include "cpu/kernels/broadcast.hpp"

namespace cpu::test {
namespace {

using tosa::Op;
using tosa::test::Dims;
using tosa::test::GraphBuilder;
using enum tosa::DType;

std::uint64_t elements(const Dims& dims) {
    std::uint64_t product = 1;
    for (const std::int32_t extent : dims)
        product *= static_cast<std::uint64_t>(extent);
    return product;
}

Dims joined(const Dims& a, const Dims& b) {
    Dims made;
    for (std::size_t axis = 0; axis < a.size(); ++axis)
        made.push_back(std::max(a[axis], b[axis]));
    return made;
}

const std::pair<Dims, Dims> kShapes[] = {
    {{}, {}},
    {{1}, {1}},
    {{1}, {5}},
    {{3000}, {1}},
    {{16}, {16}},
    {{1024}, {1024}},
    {{7, 1}, {7, 300}},
    {{1, 300}, {7, 1}},
    {{1, 1024}, {3, 1024}},
    {{2, 1, 5}, {2, 700, 5}},
    {{2, 1, 5}, {1, 700, 1}},
    {{4, 1, 3, 1, 5}, {1, 6, 1, 7, 1}},
    {{4, 6, 1, 1, 5}, {4, 6, 3, 7, 5}},
    {{1, 1, 3, 1, 1, 2, 1, 1}, {2, 1, 3, 2, 1, 1, 3, 5}},
};

TEST_CASE("operands of every shape that broadcasts") {
    for (const auto& [a, b] : kShapes) {
        for (const DType type : {Fp32, Fp16, Int32}) {
            GraphBuilder graph;
            const Dims out = joined(a, b);
            graph.input("a", a, type).input("b", b, type).output("out", out, type);
            graph.op(Op::Sub, {"a", "b"}, {"out"});
            const std::vector<Bytes> inputs{elements_of(type, elements(a), 1, 1),
                                            elements_of(type, elements(b), 1, 2)};
            const Bytes expected = run_plan(graph, Engine::Reference, inputs).at(0);
            CHECK(difference(type, run_plan(graph, Engine::Fast, inputs).at(0), expected) == "");
        }
    }
}

TEST_CASE("three operands of different shapes") {
    GraphBuilder graph;
    graph.input("c", {1, 4, 1}, Bool).input("a", {3, 1, 500}, Int16).input("b", {1, 4, 500}, Int16);
    graph.output("out", {3, 4, 500}, Int16).op(Op::Select, {"c", "a", "b"}, {"out"});
    const std::vector<Bytes> inputs{elements_of(Bool, 4, 1, 3), elements_of(Int16, 1500, 1, 4),
                                    elements_of(Int16, 2000, 1, 5)};
    CHECK(run_plan(graph, Engine::Fast, inputs) == run_plan(graph, Engine::Reference, inputs));
}

TEST_CASE("a chain whose operands have different shapes") {
    GraphBuilder graph;
    graph.input("x", {6, 500}).input("row", {1, 500}).input("column", {6, 1});
    graph.constant("one", {1, 1}, tosa::test::bytes_of({1.5F}));
    graph.tensor("p", {6, 500}).tensor("q", {6, 500}).output("out", {6, 500});
    graph.op(Op::Add, {"x", "row"}, {"p"}).op(Op::Sub, {"column", "p"}, {"q"});
    graph.op(Op::Add, {"one", "q"}, {"out"});
    const std::vector<Bytes> inputs{elements_of(Fp32, 3000, 1, 6), elements_of(Fp32, 500, 1, 7),
                                    elements_of(Fp32, 6, 1, 8)};
    const Planned fast(graph, Engine::Fast);
    CHECK(fast.plan.steps.size() == 1);
    CHECK(difference(Fp32, fast.run(inputs).at(0),
                     run_plan(graph, Engine::Reference, inputs).at(0)) == "");
}

TEST_CASE("axes that an operand has or has not are told apart, up to 32 of them") {
    Dims operand;
    Dims out;
    for (int axis = 0; axis < 32; ++axis) {
        operand.push_back(axis % 3 == 0 ? 2 : 1);
        out.push_back(axis % 3 == 2 ? 1 : 2);
    }
    const Broadcast broadcast(operand, out);
    CHECK_FALSE(broadcast.straight());
    CHECK_FALSE(broadcast.uniform());
    // Where an element lies, axis by axis.
    const auto expected = [&](std::uint64_t i) {
        std::uint64_t at = 0;
        std::uint64_t stride = 1;
        for (std::size_t axis = out.size(); axis-- > 0;) {
            const auto extent = static_cast<std::uint64_t>(out[axis]);
            if (operand[axis] != 1) at += i % extent * stride;
            stride *= static_cast<std::uint64_t>(operand[axis]);
            i /= extent;
        }
        return at;
    };
    std::uint64_t i = 12345;
    broadcast.walk(
        i, 5000,
        [&](std::uint64_t from, std::uint64_t count) {
            for (std::uint64_t k = 0; k < count; ++k)
                REQUIRE(expected(i++) == from + k);
        },
        [&](std::uint64_t from, std::uint64_t count) {
            for (std::uint64_t k = 0; k < count; ++k)
                REQUIRE(expected(i++) == from);
        });
    CHECK(i == 12345 + 5000);
}

struct RescaleRow {
    DType from;
    DType to;
    bool per_channel;
    bool scale32;
    bool double_round;
    bool input_unsigned;
    bool output_unsigned;
    std::int32_t in_zero;
    std::int32_t out_zero;
};

Bytes integer(DType type, std::int64_t value) {
    Bytes made(tosa::buffer_bytes(type, 1));
    tosa::write_integer(type, made.data(), 0, value);
    return made;
}

TEST_CASE("fast RESCALE is exact, of a tensor and of channels") {
    constexpr std::int32_t kChannels = 7;
    const RescaleRow rows[] = {
        {Int8, Int8, false, true, false, false, false, 3, -7},
        {Int8, Int8, true, true, true, false, false, -128, 127},
        {Int8, Int8, true, false, false, true, false, 200, 5},
        {Int8, Int8, true, true, false, false, true, 5, 130},
        {Int16, Int8, true, true, true, false, false, 0, 9},
        {Int16, Int16, false, true, false, true, false, 32768, 0},
        {Int16, Int32, true, false, false, false, false, 0, 0},
        {Int32, Int8, true, true, true, false, false, 0, -128},
        {Int32, Int16, true, true, false, false, false, 0, 0},
        {Int32, Int32, false, true, true, false, false, 0, 0},
        {Int8, Int16, true, true, false, false, true, 1, 32768},
    };
    for (const RescaleRow& row : rows) {
        GraphBuilder graph;
        const std::int32_t channels = row.per_channel ? kChannels : 1;
        const DType multiplier_type = row.scale32 ? Int32 : Int16;
        Bytes multipliers;
        Bytes shifts;
        for (int channel = 0; channel < channels; ++channel) {
            const std::int64_t multiplier =
                row.scale32 ? (1 << 30) + channel * 12345677 : (1 << 14) + channel * 1234;
            const int shift = channel == 3   ? 62
                              : channel == 4 ? 2
                                             : (row.scale32 ? 30 : 14) + channel;
            std::ranges::copy(integer(multiplier_type, channel == 5 ? 0 : multiplier),
                              std::back_inserter(multipliers));
            shifts.push_back(static_cast<std::byte>(shift));
        }
        graph.input("in", {500, kChannels}, row.from).output("out", {500, kChannels}, row.to);
        graph.constant("multiplier", {channels}, multipliers, multiplier_type);
        graph.constant("shift", {channels}, shifts, Int8);
        graph.constant("in zero", {1}, integer(row.from, row.in_zero), row.from);
        graph.constant("out zero", {1}, integer(row.to, row.out_zero), row.to);
        graph.op(Op::Rescale, {"in", "multiplier", "shift", "in zero", "out zero"}, {"out"},
                 [&row](flatbuffers::FlatBufferBuilder& builder) {
                     return tosa::fbs::CreateRescaleAttribute(
                                builder, row.scale32,
                                row.double_round ? tosa::fbs::RoundingMode::DOUBLE_ROUND
                                                 : tosa::fbs::RoundingMode::SINGLE_ROUND,
                                row.per_channel, row.input_unsigned, row.output_unsigned)
                         .Union();
                 });
        const std::vector<Bytes> inputs{elements_of(row.from, 500 * kChannels, 1, 9)};
        const Bytes expected = run_plan(graph, Engine::Reference, inputs).at(0);
        on_each_target([&] {
            const std::string what = std::format("{} to {}", name(row.from), name(row.to));
            const std::string wrong =
                difference(row.to, run_plan(graph, Engine::Fast, inputs).at(0), expected);
            CHECK_MESSAGE(wrong.empty(), what, ": ", wrong);
        });
    }
}

}  // namespace
}  // namespace cpu::test
