// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "corpus/compare.hpp"
#include "cpu/plan_run.hpp"
#include "networks/mobilenet.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace networks {
namespace {

using cpu::Engine;
using tosa::test::GraphBuilder;

constexpr tosa::Target kTargets[] = {{.profiles = tosa::kProfileFloat},
                                     {.profiles = tosa::kProfileInteger}};
constexpr Arithmetic kArithmetics[] = {Arithmetic::Fp32, Arithmetic::Int8};
constexpr MobileNet kSmall{.width = .25, .side = 32, .images = 2, .classes = 10};
// Of FP32 logits, which are near 1: the corpus's for a single MATMUL. They differ by less than
// a tenth of it, because each layer averages the errors of the one before.
constexpr double kBound = 1e-5;

corpus::Bytes images(Arithmetic arithmetic, const MobileNet& of) {
    const auto elements = static_cast<std::size_t>(of.images * of.side * of.side * 3);
    const DType type = arithmetic == Arithmetic::Int8 ? DType::Int8 : DType::Fp32;
    corpus::Bytes made(elements * (type == DType::Int8 ? 1 : sizeof(float)));
    std::mt19937 random;
    for (std::size_t i = 0; i < elements; ++i)
        if (type == DType::Int8)
            tosa::write_integer(type, made.data(), i, random() % 256 - 128);
        else
            tosa::write_float(type, made.data(), i, static_cast<double>(random()) * 0x1p-31 - 1);
    return made;
}

TEST_CASE("MobileNet-v2 is a program of level 8K, of 52 convolutions and 17 blocks") {
    for (const Arithmetic arithmetic : kArithmetics) {
        const auto file = mobile_net(arithmetic).file();
        const auto graph = tosa::build_graph(file, kTargets[static_cast<int>(arithmetic)]);
        REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
        const auto count = [&](Op op) {
            return std::ranges::count(graph->operators, op, &tosa::Operator::op);
        };
        CHECK(count(Op::Conv2d) + count(Op::DepthwiseConv2d) == kMobileNetConvolutions);
        CHECK(count(Op::DepthwiseConv2d) == 17);
        CHECK(count(Op::Add) == 10 + 1);
        CHECK(count(Op::Clamp) == 52 - 17);
        CHECK(count(Op::Rescale) == (arithmetic == Arithmetic::Int8 ? 52 + 3 * 10 : 0));
        CHECK(std::ranges::equal(graph->values[graph->outputs[0]].dims, Dims{1, 1, 1000}));
        CHECK(cpu::make_plan(*graph, Engine::Fast).has_value());
        // What 3.5 million weights take, and little else.
        const double parameters = 3.5e6 * (arithmetic == Arithmetic::Int8 ? 1 : 4);
        CHECK(static_cast<double>(file.size()) > .95 * parameters);
        CHECK(static_cast<double>(file.size()) < 1.1 * parameters);
    }
}

TEST_CASE("both engines compute the same of a small one") {
    for (const Arithmetic arithmetic : kArithmetics) {
        const GraphBuilder graph = mobile_net(arithmetic, kSmall);
        const std::vector<corpus::Bytes> inputs{images(arithmetic, kSmall)};
        const auto fast = cpu::test::run_plan(graph, Engine::Fast, inputs)[0];
        const auto plain = cpu::test::run_plan(graph, Engine::Reference, inputs)[0];
        const bool exact = arithmetic == Arithmetic::Int8;
        const corpus::Tensor expected{exact ? DType::Int32 : DType::Fp32, {1, 2, 10}, plain};
        CHECK(corpus::difference(expected, fast, {.absolute = exact ? 0 : kBound}) == "");
    }
}

// Of all elements.
double deviation(DType type, const corpus::Bytes& data) {
    const std::size_t count = data.size() / tosa::buffer_bytes(type, 1);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = tosa::is_float(type)
                             ? tosa::read_float(type, data.data(), i)
                             : static_cast<double>(tosa::read_integer(type, data.data(), i));
        sum += x;
        squares += x * x;
    }
    const double mean = sum / static_cast<double>(count);
    return std::sqrt(squares / static_cast<double>(count) - mean * mean);
}

TEST_CASE("activations neither vanish nor grow nor saturate") {
    for (const Arithmetic arithmetic : kArithmetics) {
        const bool integer = arithmetic == Arithmetic::Int8;
        GraphBuilder graph = mobile_net(arithmetic, kSmall);
        std::vector<std::string> names;
        for (const auto& each : graph.operators)
            if (static_cast<Op>(each.op) == (integer ? Op::Rescale : Op::Clamp))
                names.push_back(each.outputs[0]);
        graph.outputs.insert(graph.outputs.end(), names.begin(), names.end());
        const auto outputs =
            cpu::test::run_plan(graph, Engine::Reference, {images(arithmetic, kSmall)});
        for (std::size_t i = 0; i < names.size(); ++i) {
            INFO(names[i]);
            const auto type = static_cast<DType>(graph.find(names[i]).type);
            const double found = deviation(type, outputs[i + 1]);
            // Of INT8 before they are added, in INT32, 256 times as much.
            const double unit = !integer ? 1 : type == DType::Int8 ? 50 : 256 * 50;
            CHECK(found > .1 * unit);  // where only one tap of a 3 x 3 window is no padding
            CHECK(found < 2 * unit);
        }
    }
}

}  // namespace
}  // namespace networks
