// SPDX-License-Identifier: MIT
#include "vulkan/against_cpu.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

using Pair = std::array<std::int32_t, 2>;

// An image, and a window over it. Behind the image there is as much padding as before it,
// and what it takes for the last window to fit.
struct Shape {
    std::int32_t batch = 1;
    Pair in{5, 5};
    std::int32_t channels = 4;
    Pair kernel{3, 3};
    Pair stride{1, 1};
    Pair before{0, 0};
    Pair dilation{1, 1};

    [[nodiscard]] std::int32_t reach(std::size_t axis) const {
        return (kernel[axis] - 1) * dilation[axis] + 1;
    }
    [[nodiscard]] std::int32_t after(std::size_t axis) const {
        const std::int32_t over = (in[axis] + 2 * before[axis] - reach(axis)) % stride[axis];
        return before[axis] + (over == 0 ? 0 : stride[axis] - over);
    }
    [[nodiscard]] std::int32_t out(std::size_t axis) const {
        return (in[axis] + before[axis] + after(axis) - reach(axis)) / stride[axis] + 1;
    }
    [[nodiscard]] Dims in_dims() const { return {batch, in[0], in[1], channels}; }
    [[nodiscard]] Dims out_dims(std::int32_t multiplier = 1) const {
        return {batch, out(0), out(1), channels * multiplier};
    }
    [[nodiscard]] Fields fields(DType accumulator) const {
        return {.kernel = Dims{kernel[0], kernel[1]},
                .stride = Dims{stride[0], stride[1]},
                .pad = Dims{before[0], after(0), before[1], after(1)},
                .dilation = Dims{dilation[0], dilation[1]},
                .acc_type = accumulator};
    }
};

std::string text(const Shape& shape) {
    std::string said;
    for (const auto extent : shape.in_dims())
        said += std::to_string(extent) + " ";
    for (const auto& axes : {shape.kernel, shape.stride, shape.before, shape.dilation})
        said += std::to_string(axes[0]) + "x" + std::to_string(axes[1]) + " ";
    return said;
}

struct Types {
    DType in, out, accumulator;
};

constexpr Types kConvolutions[] = {
    {DType::Fp32, DType::Fp32, DType::Fp32},
    {DType::Fp16, DType::Fp16, DType::Fp32},
    {DType::Fp8E4M3, DType::Fp16, DType::Fp16},
    {DType::Int8, DType::Int32, DType::Int32},
};

void check_depthwise(AgainstCpu& both, const Shape& shape, std::int32_t multiplier = 1,
                     bool one_bias = false) {
    const auto said = text(shape);
    CAPTURE(said);
    CAPTURE(multiplier);
    for (const Types& types : kConvolutions) {
        CAPTURE(types.in);
        const bool integers = types.in == DType::Int8;
        both.check(
            Op::DepthwiseConv2d, shape.fields(types.accumulator),
            {{random_tensor(types.in, shape.in_dims(), 1)},
             constant(random_tensor(
                 types.in, {shape.kernel[0], shape.kernel[1], shape.channels, multiplier}, 2)),
             constant(random_tensor(types.out, {one_bias ? 1 : shape.channels * multiplier}, 3)),
             zero_point(types.in, integers ? -5 : 0),
             zero_point(types.in, integers ? 7 : 0)},
            Contents(types.out, shape.out_dims(multiplier)));
    }
}

void check_max_pool(AgainstCpu& both, const Shape& shape) {
    const auto said = text(shape);
    CAPTURE(said);
    for (const auto type :
         {DType::Fp32, DType::Fp16, DType::Fp8E4M3, DType::Fp8E5M2, DType::Int8}) {
        CAPTURE(type);
        for (const auto mode : {NanMode::Propagate, NanMode::Ignore}) {
            Contents in = random_tensor(type, shape.in_dims(), 4);
            if (tosa::is_float(type)) in = with_nan(in, 5);
            Fields fields = shape.fields(DType::Unknown);
            fields.nan_mode = mode;
            both.check(Op::MaxPool2d, fields, {{in}}, Contents(type, shape.out_dims()));
        }
    }
}

// A division takes 2.5 units in the last place, of FP32; of FP16 the sum before it does.
void check_avg_pool(AgainstCpu& both, const Shape& shape, double in_zero = 0, double out_zero = 0) {
    const auto said = text(shape);
    CAPTURE(said);
    constexpr std::pair<Types, double> kPools[] = {
        {{DType::Fp32, DType::Fp32, DType::Fp32}, 3.0 / (1 << 23)},
        {{DType::Fp16, DType::Fp16, DType::Fp32}, 1.0 / (1 << 10)},
        {{DType::Int8, DType::Int8, DType::Int32}, 0},
    };
    for (const auto& [types, tolerance] : kPools) {
        CAPTURE(types.in);
        const bool integers = types.in == DType::Int8;
        both.check(Op::AvgPool2d, shape.fields(types.accumulator),
                   {{random_tensor(types.in, shape.in_dims(), 6)},
                    zero_point(types.in, integers ? in_zero : 0),
                    zero_point(types.in, integers ? out_zero : 0)},
                   Contents(types.out, shape.out_dims()), tolerance);
    }
}

// x -> DEPTHWISE_CONV2D -> RESCALE -> CLAMP -> y, all of INT8 but for what is between.
GraphBuilder quantized_depthwise(std::int32_t channels) {
    const Dims image{1, 5, 6, channels};
    GraphBuilder graph;
    graph.input("x", image, DType::Int8).output("y", image, DType::Int8);
    graph.tensor("sums", image, DType::Int32).tensor("scaled", image, DType::Int8);
    const auto add = [&](const std::string& name, const Contents& tensor) {
        graph.constant(name, tensor.dims, tensor.data, tensor.type);
    };
    add("w", random_tensor(DType::Int8, {3, 3, channels, 1}, 8));
    add("b", random_tensor(DType::Int32, {channels}, 9));
    add("zero", {DType::Int8, {1}, {4}});
    add("none", {DType::Int8, {1}, {0}});
    add("zero32", {DType::Int32, {1}, {0}});
    Contents multiplier(DType::Int32, {channels}), shift(DType::Int8, {channels});
    for (std::size_t i = 0; i < multiplier.size(); ++i) {
        tosa::write_integer(DType::Int32, multiplier.data.data(), i,
                            1'200'000'000 + 7'000'000 * static_cast<std::int64_t>(i));
        tosa::write_integer(DType::Int8, shift.data.data(), i, 39);
    }
    add("m", multiplier);
    add("s", shift);
    graph.op(Op::DepthwiseConv2d, {"x", "w", "b", "zero", "none"}, {"sums"},
             attribute(Op::DepthwiseConv2d, {.stride = Dims{1, 1},
                                             .pad = Dims{1, 1, 1, 1},
                                             .dilation = Dims{1, 1},
                                             .acc_type = DType::Int32}));
    graph.op(Op::Rescale, {"sums", "m", "s", "zero32", "zero"}, {"scaled"},
             attribute(Op::Rescale, {.per_channel = true}));
    return graph.clamp("scaled", "y", {std::byte{0x90}}, {std::byte{0x30}});
}

}  // namespace

TEST_SUITE("vulkan/window" * doctest::skip(skipped())) {
    TEST_CASE("DEPTHWISE_CONV2D") {
        AgainstCpu both;
        check_depthwise(both, {});
        check_depthwise(both, {.in = {7, 9}, .channels = 8, .before = {1, 1}});
        check_depthwise(both, {.batch = 2, .in = {6, 5}, .channels = 3, .before = {2, 1}}, 1, true);
        check_depthwise(both, {.in = {9, 8}, .channels = 5, .stride = {2, 3}, .before = {1, 0}});
        check_depthwise(both, {.in = {4, 6}, .channels = 3, .before = {1, 1}}, 4);
        check_depthwise(both, {.in = {4, 6}, .channels = 1, .kernel = {1, 2}}, 3);
        check_depthwise(both,
                        {.batch = 2,
                         .in = {11, 10},
                         .channels = 4,
                         .kernel = {3, 2},
                         .stride = {1, 2},
                         .before = {3, 2},
                         .dilation = {2, 3}},
                        2, true);
        check_depthwise(both, {.in = {1, 1}, .channels = 1, .kernel = {1, 1}});
    }

    // Enough of it for several columns to an invocation.
    TEST_CASE("DEPTHWISE_CONV2D of a large image") {
        AgainstCpu both;
        check_depthwise(both, {.in = {131, 258},
                               .channels = 64,
                               .kernel = {1, 2},
                               .stride = {1, 2},
                               .before = {0, 1}});
    }

    TEST_CASE("MAX_POOL2D") {
        AgainstCpu both;
        check_max_pool(both, {});
        check_max_pool(both, {.batch = 2, .in = {7, 6}, .channels = 3, .before = {2, 1}});
        check_max_pool(both, {.in = {8, 9}, .channels = 8, .stride = {2, 2}, .before = {1, 1}});
        check_max_pool(both, {.in = {3, 5}, .channels = 1, .kernel = {1, 1}});
        check_max_pool(both, {.in = {7, 7}, .channels = 5, .kernel = {1, 2}, .stride = {3, 1}});
    }

    TEST_CASE("AVG_POOL2D") {
        AgainstCpu both;
        check_avg_pool(both, {});
        check_avg_pool(both, {.batch = 2, .in = {7, 6}, .channels = 3, .before = {2, 1}}, 3, -4);
        check_avg_pool(both, {.in = {8, 9}, .channels = 8, .stride = {2, 2}, .before = {1, 1}},
                       -128, 127);
        check_avg_pool(both, {.in = {9, 9}, .channels = 4, .kernel = {2, 2}}, 1);  // many ties
        check_avg_pool(both, {.in = {17, 19}, .channels = 4, .kernel = {17, 19}}, 127, 1);
        check_avg_pool(both, {.in = {6, 7}, .channels = 5, .kernel = {1, 1}}, 1, 1);
    }

    // Of weights that are infinite, padding makes no NaN.
    TEST_CASE("NaN and infinities go through sums") {
        AgainstCpu both;
        const Shape shape{.before = {1, 1}};
        for (const DType type : {DType::Fp32, DType::Fp16}) {
            CAPTURE(type);
            Contents in = random_tensor(type, shape.in_dims(), 12);
            for (const std::uint64_t at : {7U, 40U})
                tosa::write_float(type, in.data.data(), at, at == 7 ? NAN : -INFINITY);
            both.check(Op::AvgPool2d, shape.fields(DType::Fp32),
                       {{in}, zero_point(type), zero_point(type)}, Contents(type, shape.out_dims()),
                       1.0 / (1 << 10));
            Contents weight(type, {3, 3, 4, 1}, cpu::test::Reals(36, 1));
            for (const std::uint64_t at : {1U, 34U})
                tosa::write_float(type, weight.data.data(), at, INFINITY);
            both.check(Op::DepthwiseConv2d, shape.fields(DType::Fp32),
                       {{in}, {weight}, {{type, {1}, {1}}}, zero_point(type), zero_point(type)},
                       Contents(type, shape.out_dims()));
        }
    }

    // Which a driver must not spoil by leaving out the +0 that they start from.
    TEST_CASE("sums of negative zeros are +0") {
        AgainstCpu both;
        const Shape shape{.in = {2, 2}, .kernel = {1, 2}};
        for (const DType type : {DType::Fp32, DType::Fp16}) {
            const Operand zeros{{type, shape.in_dims(), cpu::test::Reals(16, -0.0)}};
            both.check(Op::AvgPool2d, shape.fields(DType::Fp32),
                       {zeros, zero_point(type), zero_point(type)},
                       Contents(type, shape.out_dims()));
            both.check(Op::DepthwiseConv2d, shape.fields(DType::Fp32),
                       {zeros,
                        {{type, {1, 2, 4, 1}, cpu::test::Reals(8, 1)}},
                        {{type, {1}, {-0.0}}},
                        zero_point(type),
                        zero_point(type)},
                       Contents(type, shape.out_dims()));
        }
    }

    TEST_CASE("what scales and clamps the sums of a window is computed with them") {
        AgainstCpu both;
        for (const std::int32_t channels : {8, 5}) {
            CAPTURE(channels);
            const GraphBuilder graph = quantized_depthwise(channels);
            CHECK(dispatches(graph) == 1);
            const Dims image{1, 5, 6, channels};
            both.check(graph, {random_tensor(DType::Int8, image, 10)});
        }
    }

    TEST_CASE("an average is rounded to its type before what follows it") {
        AgainstCpu both;
        const Dims in{1, 4, 4, 3}, out{1, 2, 2, 3};
        GraphBuilder graph;
        graph.input("x", in, DType::Fp16).output("y", out, DType::Fp32);
        graph.tensor("a", out, DType::Fp16);
        graph.constant("zero", {1}, std::vector<std::byte>(2), DType::Fp16);
        graph.op(Op::AvgPool2d, {"x", "zero", "zero"}, {"a"},
                 attribute(Op::AvgPool2d, {.kernel = Dims{3, 3},
                                           .stride = Dims{1, 1},
                                           .pad = Dims{0, 0, 0, 0},
                                           .acc_type = DType::Fp32}));
        graph.op(Op::Cast, {"a"}, {"y"}, attribute(Op::Cast, {}));
        CHECK(dispatches(graph) == 1);
        both.check(graph, {random_tensor(DType::Fp16, in, 11)});
    }
}
