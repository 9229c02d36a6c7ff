// SPDX-License-Identifier: MIT
//
// Results, held against references computed here in double or element by element.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "cpu/rig.hpp"

namespace cpu::test {
namespace {

using tosa::NanMode;
using tosa::Op;
using tosa::test::bytes_of;
using tosa::test::Dims;
using tosa::test::GraphBuilder;
using Floats = std::vector<float>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Bytes bytes(const Floats& values) {
    const auto view = std::as_bytes(std::span(values));
    return {view.begin(), view.end()};
}

Floats floats(const Bytes& data) {
    Floats values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), data.size());
    return values;
}

std::size_t count(const Dims& dims) {
    std::size_t product = 1;
    for (const std::int32_t dim : dims)
        product *= static_cast<std::size_t>(dim);
    return product;
}

Floats random_values(std::size_t n, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(-2, 2);
    Floats values(n);
    std::ranges::generate(values, [&] { return uniform(generator); });
    return values;
}

// Equal bits, but any NaN equals any NaN (providers.md 2.1).
void check_exact(const Floats& actual, const Floats& expected) {
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        CAPTURE(i);
        if (std::isnan(expected[i]))
            CHECK(std::isnan(actual[i]));
        else
            CHECK(std::bit_cast<std::uint32_t>(actual[i]) ==
                  std::bit_cast<std::uint32_t>(expected[i]));
    }
}

// Runs a graph with FP32 inputs and one FP32 output.
Floats run(const GraphBuilder& graph, const std::vector<Floats>& inputs, std::size_t elements) {
    std::vector<Bytes> contents;
    for (const Floats& input : inputs)
        contents.push_back(bytes(input));
    return floats(Rig().run(graph, contents, {elements * sizeof(float)}).at(0));
}

TEST_CASE("MATMUL stays within its error bound of a sum in double") {
    struct Case {
        std::int32_t batch, m, k, n;
    };
    for (const auto& [batch, m, k, n] : {Case{1, 1, 1, 1}, Case{2, 3, 4, 5}, Case{3, 1, 64, 7},
                                         Case{1, 65, 70, 33}, Case{2, 5, 200, 1}}) {
        CAPTURE(batch);
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        GraphBuilder graph;
        graph.input("a", {batch, m, k}).input("b", {batch, k, n}).output("out", {batch, m, n});
        graph.matmul("a", "b", "out");
        const Floats a = random_values(count({batch, m, k}), 1);
        const Floats b = random_values(count({batch, k, n}), 2);
        const Floats actual = run(graph, {a, b}, count({batch, m, n}));

        const auto M = static_cast<std::size_t>(m);
        const auto K = static_cast<std::size_t>(k);
        const auto N = static_cast<std::size_t>(n);
        for (std::size_t row = 0; row < actual.size() / N; ++row)
            for (std::size_t column = 0; column < N; ++column) {
                double sum = 0;
                double magnitude = 0;
                for (std::size_t i = 0; i < K; ++i) {
                    const double product =
                        double{a[row * K + i]} * double{b[(row / M * K + i) * N + column]};
                    sum += product;
                    magnitude += std::abs(product);
                }
                const double bound = (k + 64) * std::ldexp(magnitude, -23);
                CHECK(std::abs(double{actual[row * N + column]} - sum) <= bound);
            }
    }
}

TEST_CASE("MATMUL of the corpus") {
    GraphBuilder graph;
    graph.input("lhs", {1, 2, 3}).input("rhs", {1, 3, 2}).output("output", {1, 2, 2});
    graph.matmul("lhs", "rhs", "output");
    check_exact(run(graph, {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}, 4), {58, 64, 139, 154});
}

TEST_CASE("MATMUL lets infinities and NaN through") {
    GraphBuilder graph;
    graph.input("a", {1, 1, 2}).input("b", {1, 2, 3}).output("out", {1, 1, 3});
    graph.matmul("a", "b", "out");
    check_exact(run(graph, {{0, 1}, {kInfinity, 1, kNan, 1, -kInfinity, 0}}, 3),
                {kNan, -kInfinity, kNan});
}

// The element of `dims` that belongs to element `at` of an output of shape `out`.
std::size_t broadcast_index(const Dims& dims, const Dims& out, std::size_t at) {
    std::size_t index = 0;
    std::size_t stride = 1;
    for (std::size_t back = 1; back <= out.size(); ++back) {
        const auto extent = static_cast<std::size_t>(out[out.size() - back]);
        const std::size_t position = at % extent;
        at /= extent;
        if (back > dims.size()) continue;
        const auto own = static_cast<std::size_t>(dims[dims.size() - back]);
        if (own != 1) index += position * stride;
        stride *= own;
    }
    return index;
}

TEST_CASE("ADD broadcasts") {
    struct Case {
        Dims a, b, out;
    };
    for (const auto& [a, b, out] :
         {Case{{2, 3}, {2, 3}, {2, 3}}, Case{{2, 1}, {1, 3}, {2, 3}}, Case{{}, {}, {}},
          Case{{1, 1}, {1, 1}, {1, 1}}, Case{{}, {2, 2}, {2, 2}}, Case{{3}, {4, 3}, {4, 3}},
          Case{{4, 3}, {4, 1}, {4, 3}}, Case{{2, 3, 4}, {2, 1, 4}, {2, 3, 4}},
          Case{{2, 3, 1, 5}, {1, 3, 4, 1}, {2, 3, 4, 5}},
          Case{{2, 1, 2, 1, 2, 3}, {1, 2, 1, 2, 2, 1}, {2, 2, 2, 2, 2, 3}}}) {
        CAPTURE(out.size());
        GraphBuilder graph;
        graph.input("a", a).input("b", b).output("out", out);
        graph.op(Op::Add, {"a", "b"}, {"out"});
        const Floats left = random_values(count(a), 3);
        const Floats right = random_values(count(b), 4);
        Floats expected(count(out));
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = left[broadcast_index(a, out, i)] + right[broadcast_index(b, out, i)];
        check_exact(run(graph, {left, right}, expected.size()), expected);
    }
}

TEST_CASE("CLAMP") {
    const auto clamp = [](float low, float high, NanMode mode, const Floats& in) {
        GraphBuilder graph;
        const Dims dims{static_cast<std::int32_t>(in.size())};
        graph.input("in", dims).output("out", dims).clamp("in", "out", low, high, mode);
        return run(graph, {in}, in.size());
    };
    check_exact(clamp(-1, 1, NanMode::Propagate, {.5F, 1, 2, 4}), {.5F, 1, 1, 1});
    check_exact(clamp(-1, 1, NanMode::Propagate, {kNan, -kInfinity, kInfinity, -0.0F}),
                {kNan, -1, 1, -0.0F});
    check_exact(clamp(-1, 1, NanMode::Ignore, {kNan, -2, 2, 0}), {-1, -1, 1, 0});
    // Equal zeros: the maximum keeps the element, the minimum the bound.
    check_exact(clamp(0, 1, NanMode::Ignore, {-0.0F, 0}), {-0.0F, 0});
    check_exact(clamp(-1, 0, NanMode::Ignore, {-0.0F, 0}), {0, 0});
    check_exact(clamp(-kInfinity, kInfinity, NanMode::Ignore, {kNan, 3}), {-kInfinity, 3});
}

TEST_CASE("IDENTITY and RESHAPE move bits, whatever they mean") {
    const Bytes edges = bytes_of<std::uint32_t>(
        {0x7FC00001, 0x7F800001, 0xFF800000, 0x80000000, 0, 1, 0x00800000, 0x7F800000});
    GraphBuilder same;
    same.input("in", {8}).output("out", {8}).op(Op::Identity, {"in"}, {"out"});
    CHECK(Rig().run(same, {edges}, {32}).at(0) == edges);

    GraphBuilder reshaped;
    reshaped.input("in", {8}).output("out", {2, 1, 4}).shape("s", {2, 1, 4});
    reshaped.op(Op::Reshape, {"in", "s"}, {"out"});
    CHECK(Rig().run(reshaped, {edges}, {32}).at(0) == edges);

    GraphBuilder scalar;
    scalar.input("in", {1, 1}).output("out", {}).shape("s", {});
    scalar.op(Op::Reshape, {"in", "s"}, {"out"});
    CHECK(Rig().run(scalar, {bytes({7})}, {4}).at(0) == bytes({7}));

    GraphBuilder halves;
    halves.input("in", {3}, tosa::DType::Fp16).output("out", {3}, tosa::DType::Fp16);
    halves.op(Op::Identity, {"in"}, {"out"});
    const Bytes odd = bytes_of<std::uint16_t>({0x7E01, 0x8000, 0x0001});
    CHECK(Rig().run(halves, {odd}, {6}).at(0) == odd);
}

// A layer of a network: x·w + bias, clamped, reshaped. Every intermediate is placed.
TEST_CASE("intermediates and constants reach the operators that read them") {
    GraphBuilder graph;
    graph.input("x", {1, 2, 2}).output("y", {4}).output("product", {1, 2, 2});
    graph.tensor("sum", {1, 2, 2}).tensor("again", {1, 2, 2}).tensor("clamped", {1, 2, 2});
    graph.constant("w", {1, 2, 2}, bytes_of<float>({1, 2, 3, 4}));
    graph.constant("bias", {1, 1, 2}, bytes_of<float>({10, 20})).shape("s", {4});
    graph.matmul("x", "w", "product");
    graph.op(Op::Add, {"product", "bias"}, {"sum"});
    graph.op(Op::Add, {"sum", "sum"}, {"again"});
    graph.clamp("again", "clamped", 0, 45).op(Op::Reshape, {"clamped", "s"}, {"y"});
    const auto outputs = Rig().run(graph, {bytes({1, 0, 0, 1})}, {16, 16});
    CHECK(outputs.at(0) == bytes({22, 44, 26, 45}));
    CHECK(outputs.at(1) == bytes({1, 2, 3, 4}));
}

TEST_CASE("a chain of intermediates that share memory keeps each value until its last use") {
    constexpr int kLength = 34;
    const auto link = [](int i) { return "t" + std::to_string(i); };
    GraphBuilder graph;
    graph.input(link(0), {3}).input(link(1), {3}).output(link(kLength), {3});
    for (int i = 2; i < kLength; ++i)
        graph.tensor(link(i), {3});
    for (int i = 2; i <= kLength; ++i)  // Fibonacci
        graph.op(Op::Add, {link(i - 1), link(i - 2)}, {link(i)});
    check_exact(run(graph, {{0, 0, 1}, {0, 1, 0}}, 3), {0, 5702887, 3524578});
}

TEST_CASE("an output may be an input, a constant, or listed twice") {
    GraphBuilder graph = identity();
    graph.constant("c", {2}, bytes_of<float>({5, 6}));
    graph.outputs = {"output", "input", "c", "output"};
    const Bytes in = bytes({1, 2, 3, 4});
    const auto outputs = Rig().run(graph, {in}, {16, 16, 8, 16});
    CHECK(outputs.at(0) == in);
    CHECK(outputs.at(1) == in);
    CHECK(outputs.at(2) == bytes({5, 6}));
    CHECK(outputs.at(3) == in);
}

TEST_CASE("an external constant is read where it lies, aligned or not") {
    GraphBuilder graph = identity();
    graph.operators.clear();
    graph.constant("c", {4}, {}).op(Op::Add, {"input", "c"}, {"output"});
    auto& constant = graph.find("c");
    constant.size = 16;
    constant.offset = 8;  // any nonzero one: its value does not change the file's size
    const std::size_t file_bytes = graph.file().size();
    for (const std::size_t padding : {0U, 1U, 2U, 3U}) {
        CAPTURE(padding);
        constant.offset = file_bytes + padding;
        graph.trailer.resize(padding);
        const Bytes data = bytes({10, 20, 30, 40});
        graph.trailer.insert(graph.trailer.end(), data.begin(), data.end());
        CHECK(Rig().run(graph, {bytes({1, 2, 3, 4})}, {16}).at(0) == bytes({11, 22, 33, 44}));
    }
}

}  // namespace
}  // namespace cpu::test
