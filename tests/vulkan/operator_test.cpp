// SPDX-License-Identifier: MIT
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "vulkan/rig.hpp"

using namespace vulkan;
using namespace vulkan::test;
using tosa::NanMode;
using tosa::Op;
using tosa::test::Dims;

namespace {

std::size_t elements(const Dims& dims) {
    std::size_t count = 1;
    for (const auto d : dims)
        count *= static_cast<std::size_t>(d);
    return count;
}

Floats random_floats(std::size_t count, unsigned seed) {
    std::minstd_rand bits(seed);
    Floats values(count);
    for (float& value : values)
        value = static_cast<float>(bits() % 20001U) / 1000.0F - 10.0F;
    return values;
}

std::vector<std::uint32_t> bits_of(const Floats& values) {
    return values_of<std::uint32_t>(bytes_of(values));
}

// Element i of `out` in a tensor of shape `dims` that is broadcast to it.
std::size_t broadcast_index(std::size_t i, const Dims& out, const Dims& dims) {
    std::size_t at = 0, step = 1;
    for (std::size_t back = 1; back <= out.size(); ++back) {
        const auto extent = static_cast<std::size_t>(out[out.size() - back]);
        const auto mine =
            back <= dims.size() ? static_cast<std::size_t>(dims[dims.size() - back]) : 1;
        at += mine == 1 ? 0 : i % extent * step;
        step *= mine;
        i /= extent;
    }
    return at;
}

void check_add(Rig& rig, const Dims& lhs, const Dims& rhs, const Dims& out) {
    CAPTURE(lhs);
    CAPTURE(rhs);
    GraphBuilder graph;
    graph.input("a", lhs).input("b", rhs).output("c", out).op(Op::Add, {"a", "b"}, {"c"});
    const auto a = random_floats(elements(lhs), 1), b = random_floats(elements(rhs), 2);

    const auto c = rig.run(graph, {a, b}, elements(out));

    Floats expected(c.size());
    for (std::size_t i = 0; i < c.size(); ++i)
        expected[i] = static_cast<float>(double{a[broadcast_index(i, out, lhs)]} +
                                         double{b[broadcast_index(i, out, rhs)]});
    CHECK(c == expected);  // one rounding: exact
}

// Within (k + 64) * 2^-23 * sum |a b| of the sum in double precision.
void check_matmul(Rig& rig, std::int32_t batch, std::int32_t m, std::int32_t k, std::int32_t n,
                  MemoryDomain domain = MemoryDomain::Host) {
    CAPTURE(m);
    CAPTURE(k);
    CAPTURE(n);
    GraphBuilder graph;
    graph.input("a", {batch, m, k}).input("b", {batch, k, n}).output("c", {batch, m, n});
    graph.matmul("a", "b", "c");
    const auto a = random_floats(elements({batch, m, k}), 3);
    const auto b = random_floats(elements({batch, k, n}), 4);

    const auto c = rig.run(graph, {a, b}, elements({batch, m, n}), domain);
    CHECK(bits_of(c) == bits_of(rig.run(graph, {a, b}, c.size(), domain)));  // deterministic

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        const auto col = i % static_cast<std::size_t>(n), row = i / static_cast<std::size_t>(n);
        const auto depth = static_cast<std::size_t>(k), width = static_cast<std::size_t>(n);
        const auto first = row / static_cast<std::size_t>(m) * depth;  // rhs row of the batch
        double sum = 0, magnitude = 0;
        for (std::size_t j = 0; j < depth; ++j) {
            const double product =
                double{a[row * depth + j]} * double{b[(first + j) * width + col]};
            sum += product;
            magnitude += std::abs(product);
        }
        const double bound = (k + 64) * std::ldexp(1.0, -23) * magnitude;
        wrong += !(std::abs(double{c[i]} - sum) <= bound);
    }
    CHECK(wrong == 0);
}

const std::vector<std::uint32_t> kSpecialBits{
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000,
    0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0xDEADBEEF};

bool nan(std::uint32_t bits) {
    return (bits & 0x7FFFFFFF) > 0x7F800000;
}

// The rule of providers.md 2.2 on the host, where binary32 keeps its subnormals.
std::uint32_t clamp_reference(std::uint32_t bits, float low, float high, NanMode mode) {
    if (nan(bits) && mode == NanMode::Propagate) return bits;
    const float x = std::bit_cast<float>(bits);
    const float raised = x >= low ? x : low;  // of NaN, too
    return std::bit_cast<std::uint32_t>(raised < high ? raised : high);
}

void check_clamp(Rig& rig, float low, float high, NanMode mode) {
    CAPTURE(low);
    CAPTURE(high);
    GraphBuilder graph;
    graph.input("x", {16}).output("y", {16}).clamp("x", "y", low, high, mode);
    const auto out = values_of<std::uint32_t>(
        rig.run(graph.file(), {bytes_of(kSpecialBits)}, {kSpecialBits.size() * 4})[0]);
    for (std::size_t i = 0; i < out.size(); ++i) {
        CAPTURE(kSpecialBits[i]);
        const auto expected = clamp_reference(kSpecialBits[i], low, high, mode);
        if (nan(expected))
            CHECK(nan(out[i]));
        else
            CHECK(out[i] == expected);
    }
}

Bytes fixture(const std::string& name) {
    std::ifstream file("../shared/tosa/" + name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto view = std::as_bytes(std::span(text));
    return {view.begin(), view.end()};
}

}  // namespace

TEST_SUITE("vulkan/operator" * doctest::skip(skipped())) {
    TEST_CASE("ADD rounds once and broadcasts, of equal rank and not") {
        Rig rig;
        check_add(rig, {7}, {7}, {7});
        check_add(rig, {1000}, {1}, {1000});
        check_add(rig, {2, 1}, {1, 3}, {2, 3});
        check_add(rig, {4, 1, 6}, {4, 5, 6}, {4, 5, 6});
        check_add(rig, {3, 1, 5, 1, 2, 1}, {1, 4, 1, 3, 2, 7}, {3, 4, 5, 3, 2, 7});
        check_add(rig, {5, 3}, {3}, {5, 3});
        check_add(rig, {2}, {3, 4, 1}, {3, 4, 2});
        check_add(rig, {}, {2, 2}, {2, 2});
        check_add(rig, {300, 257}, {300, 257}, {300, 257});
    }

    TEST_CASE("MATMUL stays within its bound for shapes on and off the tiles") {
        Rig rig;
        check_matmul(rig, 1, 1, 1, 1);
        check_matmul(rig, 1, 64, 16, 64);
        check_matmul(rig, 1, 65, 17, 63);
        check_matmul(rig, 3, 5, 33, 70);
        check_matmul(rig, 2, 130, 3, 129);
        check_matmul(rig, 1, 1, 300, 10);
    }

    TEST_CASE("MATMUL does not depend on where its buffers are") {
        Rig rig({.map_device_memory = false});
        check_matmul(rig, 2, 19, 40, 21, MemoryDomain::Device);
    }

    TEST_CASE("CLAMP selects a bound or the value itself, bit for bit, in both NaN modes") {
        Rig rig;
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        for (const auto mode : {NanMode::Propagate, NanMode::Ignore}) {
            check_clamp(rig, -1.0F, 1.0F, mode);
            check_clamp(rig, 0.0F, 6.0F, mode);
            check_clamp(rig, -0.0F, 0.0F, mode);
            check_clamp(rig, 0.0F, -0.0F, mode);
            check_clamp(rig, -kInfinity, kInfinity, mode);
            check_clamp(rig, 0.0F, std::numeric_limits<float>::denorm_min(), mode);
        }
    }

    TEST_CASE("IDENTITY and RESHAPE keep every bit") {
        Rig rig;
        GraphBuilder graph;
        graph.input("x", {16}).output("y", {16}).output("z", {2, 8}).shape("s", {2, 8});
        graph.op(Op::Identity, {"x"}, {"y"}).op(Op::Reshape, {"x", "s"}, {"z"});
        const auto out = rig.run(graph.file(), {bytes_of(kSpecialBits)}, {64, 64});
        CHECK(values_of<std::uint32_t>(out[0]) == kSpecialBits);
        CHECK(values_of<std::uint32_t>(out[1]) == kSpecialBits);
    }

    TEST_CASE("constants are there for every run, also those used last") {
        for (const bool map : {true, false}) {
            Rig rig({.map_device_memory = map});
            GraphBuilder graph;
            graph.input("x", {2}).output("y", {2}).output("z", {2});
            graph.tensor("a", {2}).tensor("b", {2}).tensor("c", {2});
            graph.clamp("x", "a", -9.0F, 9.0F).clamp("a", "b", -8.0F, 8.0F);
            graph.clamp("b", "c", -7.0F, 7.0F);
            graph.constant("k", {2}, tosa::test::bytes_of({10.0F, 20.0F}));
            graph.op(Op::Add, {"c", "k"}, {"y"}).op(Op::Identity, {"k"}, {"z"});
            for (int run = 0; run < 2; ++run) {
                const auto out = rig.run(graph.file(), {bytes_of(Floats{1.0F, 50.0F})}, {8, 8});
                CHECK(values_of<float>(out[0]) == Floats{11.0F, 27.0F});
                CHECK(values_of<float>(out[1]) == Floats{10.0F, 20.0F});
            }
        }
    }

    TEST_CASE("two dense layers with their reshapes, biases and clamps") {
        Rig rig;
        const auto weights = random_floats(64 * 33, 5), bias = random_floats(33, 6);
        const auto weights2 = random_floats(33 * 10, 7), x = random_floats(64, 8);
        GraphBuilder graph;
        graph.input("x", {8, 8}).output("y", {10}).tensor("x3", {1, 1, 64});
        graph.shape("in", {1, 1, 64}).shape("out", {10});
        graph.constant("w", {1, 64, 33}, bytes_of(weights))
            .constant("b", {1, 1, 33}, bytes_of(bias));
        graph.constant("v", {1, 33, 10}, bytes_of(weights2));
        graph.tensor("p", {1, 1, 33}).tensor("q", {1, 1, 33}).tensor("r", {1, 1, 33});
        graph.tensor("o", {1, 1, 10});
        graph.op(Op::Reshape, {"x", "in"}, {"x3"}).matmul("x3", "w", "p");
        graph.op(Op::Add, {"p", "b"}, {"q"}).clamp("q", "r", 0.0F, 1e9F).matmul("r", "v", "o");
        graph.op(Op::Reshape, {"o", "out"}, {"y"});

        const auto y = rig.run(graph, {x}, 10);

        std::vector<double> hidden(33);
        for (std::size_t j = 0; j < 33; ++j) {
            hidden[j] = bias[j];
            for (std::size_t i = 0; i < 64; ++i)
                hidden[j] += double{x[i]} * double{weights[i * 33 + j]};
            hidden[j] = std::max(hidden[j], 0.0);
        }
        for (std::size_t j = 0; j < 10; ++j) {
            double sum = 0;
            for (std::size_t i = 0; i < 33; ++i)
                sum += hidden[i] * double{weights2[i * 10 + j]};
            CHECK(y[j] == doctest::Approx(sum).epsilon(1e-4));
        }
    }

    TEST_CASE("the shared fixtures give the published results" *
              doctest::skip(skipped() || fixture("matmul-fp32-v1.0.0.tosa").empty())) {
        Rig rig;
        const std::vector<std::uint32_t> edges{0x7FC00000, 0xFF800000, 0x80000000, 0x00000000,
                                               0x00000001, 0x00800000, 0x3F800000, 0x7F800000};
        const auto same = rig.run(fixture("identity-edges-fp32-v1.0.0.tosa"), {bytes_of(edges)},
                                  {edges.size() * 4});
        CHECK(values_of<std::uint32_t>(same[0]) == edges);

        const auto product = rig.run(
            fixture("matmul-fp32-v1.0.0.tosa"),
            {bytes_of(Floats{1, 2, 3, 4, 5, 6}), bytes_of(Floats{7, 8, 9, 10, 11, 12})}, {16});
        CHECK(values_of<float>(product[0]) == Floats{58, 64, 139, 154});
    }
}
