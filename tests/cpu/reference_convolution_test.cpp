// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <limits>

#include "cpu/tensor_call.hpp"

namespace cpu::test {
namespace {

using List = std::vector<std::int32_t>;

struct Types {
    DType in;
    DType weight;
    DType out;
    tosa::fbs::DType accumulator;
};

constexpr Types kFloat{DType::Fp32, DType::Fp32, DType::Fp32, tosa::fbs::DType::FP32};
constexpr Types kInt8{DType::Int8, DType::Int8, DType::Int32, tosa::fbs::DType::INT32};
constexpr Types kInt4{DType::Int8, DType::Int4, DType::Int32, tosa::fbs::DType::INT32};
constexpr Types kInt16{DType::Int16, DType::Int8, DType::Int48, tosa::fbs::DType::INT48};
constexpr Types kAll[] = {
    kFloat,
    kInt8,
    kInt4,
    kInt16,
    {DType::Fp16, DType::Fp16, DType::Fp16, tosa::fbs::DType::FP16},
    {DType::Fp16, DType::Fp16, DType::Fp16, tosa::fbs::DType::FP32},
    {DType::Bf16, DType::Bf16, DType::Bf16, tosa::fbs::DType::FP32},
    {DType::Fp8E4M3, DType::Fp8E4M3, DType::Fp16, tosa::fbs::DType::FP16},
    {DType::Fp8E5M2, DType::Fp8E5M2, DType::Fp16, tosa::fbs::DType::FP16},
};

// A convolution of any kind without its contents. TRANSPOSE_CONV2D has out_pad for pad,
// and no dilation.
struct Problem {
    Op op;
    Dims in, weight, out;
    List pad, stride, dilation;
    double in_zero = 0, weight_zero = 0;
};

Attribute attribute_of(const Problem& problem, tosa::fbs::DType accumulator) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        const auto pad = builder.CreateVector(problem.pad);
        const auto stride = builder.CreateVector(problem.stride);
        const auto dilation = builder.CreateVector(problem.dilation);
        using namespace tosa::fbs;
        if (problem.op == Op::Conv2d)
            return CreateConv2dAttribute(builder, pad, stride, dilation, false, accumulator)
                .Union();
        if (problem.op == Op::Conv3d)
            return CreateConv3dAttribute(builder, pad, stride, dilation, false, accumulator)
                .Union();
        if (problem.op == Op::DepthwiseConv2d)
            return CreateDepthwiseConv2dAttribute(builder, pad, stride, dilation, false,
                                                  accumulator)
                .Union();
        return CreateTransposeConv2dAttribute(builder, pad, stride, false, accumulator).Union();
    };
}

Reals convolve(const Problem& problem, const Types& types, const Reals& in, const Reals& weight,
               const Reals& bias) {
    return call_one(problem.op, attribute_of(problem, types.accumulator),
                    {Tensor(types.in, problem.in, in), Tensor(types.weight, problem.weight, weight),
                     Tensor(types.out, {static_cast<std::int32_t>(bias.size())}, bias),
                     one(types.in, problem.in_zero), one(types.weight, problem.weight_zero)},
                    {types.out, problem.out})
        .reals();
}

using Extents = std::array<std::int64_t, 3>;

Extents three(const Dims& dims, std::size_t first, std::size_t count, std::int64_t missing = 1) {
    Extents extents{missing, missing, missing};
    for (std::size_t i = 0; i < count; ++i)
        extents[3 - count + i] = dims[first + i];
    return extents;
}

template <class Visit>
void for_each(const Extents& extents, Visit visit) {
    std::int64_t index = 0;
    for (std::int64_t z = 0; z < extents[0]; ++z)
        for (std::int64_t y = 0; y < extents[1]; ++y)
            for (std::int64_t x = 0; x < extents[2]; ++x)
                visit(Extents{z, y, x}, index++);
}

// The output pixel to which `tap` carries an input pixel, or -1.
std::int64_t target(const Problem& problem, const Extents& out, const Extents& pixel,
                    const Extents& tap) {
    const std::size_t axes = problem.stride.size();
    const Extents stride = three(problem.stride, 0, axes);
    const Extents dilation = three(problem.dilation, 0, problem.dilation.size());
    std::int64_t index = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t pad = i + axes < 3 ? 0 : problem.pad[2 * (i + axes - 3)];
        std::int64_t at = 0;
        if (problem.op == Op::TransposeConv2d) {
            at = pixel[i] * stride[i] + pad + tap[i];
        } else {
            at = pixel[i] + pad - tap[i] * dilation[i];
            if (at % stride[i] != 0) return -1;
            at /= stride[i];
        }
        if (at < 0 || at >= out[i]) return -1;
        index = index * out[i] + at;
    }
    return index;
}

// The other way round: every input element adds to the outputs that it takes part in.
Reals scattered(const Problem& problem, const Types& types, const Reals& in, const Reals& weight,
                const Reals& bias) {
    const std::size_t axes = problem.stride.size();
    const bool depthwise = problem.op == Op::DepthwiseConv2d;
    const Extents out = three(problem.out, 1, axes);
    const Extents taps = three(problem.weight, depthwise ? 0 : 1, axes);
    const std::int64_t in_channels = problem.in.back();
    const std::int64_t out_channels = problem.out.back();
    const std::int64_t out_pixels = out[0] * out[1] * out[2];
    const std::int64_t tap_count = taps[0] * taps[1] * taps[2];
    Reals sums(static_cast<std::size_t>(problem.out[0] * out_pixels * out_channels));
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = bias[bias.size() == 1 ? 0 : i % bias.size()];
    std::size_t next = 0;
    for (std::int64_t batch = 0; batch < problem.in[0]; ++batch)
        for_each(three(problem.in, 1, axes), [&](const Extents& pixel, std::int64_t) {
            for (std::int64_t c = 0; c < in_channels; ++c, ++next)
                for_each(taps, [&](const Extents& tap, std::int64_t tap_index) {
                    const std::int64_t to = target(problem, out, pixel, tap);
                    if (to < 0) return;
                    for (std::int64_t oc = 0; oc < out_channels; ++oc) {
                        if (depthwise && oc / (out_channels / in_channels) != c) continue;
                        const std::int64_t at =
                            depthwise ? tap_index * out_channels + oc
                                      : (oc * tap_count + tap_index) * in_channels + c;
                        const auto sum = (batch * out_pixels + to) * out_channels + oc;
                        sums[static_cast<std::size_t>(sum)] +=
                            (in[next] - problem.in_zero) *
                            (weight[static_cast<std::size_t>(at)] - problem.weight_zero);
                    }
                });
        });
    return Tensor(types.out, problem.out, sums).reals();  // rounded
}

const Problem kProblems[] = {
    {Op::Conv2d, {2, 5, 6, 3}, {2, 3, 2, 3}, {2, 5, 6, 2}, {1, 1, 0, 1}, {1, 1}, {1, 1}},
    {Op::Conv2d, {1, 7, 8, 1}, {3, 3, 3, 1}, {1, 3, 2, 3}, {0, 2, 2, 0}, {2, 4}, {2, 3}},
    {Op::Conv2d, {1, 1, 1, 5}, {4, 1, 1, 5}, {1, 1, 1, 4}, {0, 0, 0, 0}, {1, 1}, {1, 1}},
    {Op::Conv2d, {1, 2, 2, 1}, {1, 3, 3, 1}, {1, 4, 4, 1}, {2, 2, 2, 2}, {1, 1}, {1, 1}},
    {Op::Conv3d,
     {1, 4, 3, 5, 2},
     {3, 2, 3, 2, 2},
     {1, 2, 3, 4, 3},
     {1, 0, 1, 1, 0, 0},
     {2, 1, 1},
     {1, 1, 1}},
    {Op::Conv3d,
     {2, 3, 4, 5, 1},
     {2, 2, 2, 2, 1},
     {2, 2, 2, 3, 2},
     {0, 1, 1, 0, 2, 1},
     {1, 2, 2},
     {2, 2, 3}},
    {Op::DepthwiseConv2d, {2, 4, 5, 3}, {2, 3, 3, 2}, {2, 4, 5, 6}, {1, 0, 1, 1}, {1, 1}, {1, 1}},
    {Op::DepthwiseConv2d, {1, 6, 7, 2}, {3, 2, 2, 1}, {1, 2, 3, 2}, {0, 1, 0, 0}, {2, 2}, {2, 2}},
    {Op::TransposeConv2d, {2, 3, 2, 3}, {2, 2, 3, 3}, {2, 6, 6, 2}, {0, 0, 1, -1}, {2, 3}, {}},
    {Op::TransposeConv2d, {1, 3, 4, 1}, {3, 3, 2, 1}, {1, 3, 4, 3}, {-1, -1, -1, 0}, {1, 1}, {}},
    {Op::TransposeConv2d, {1, 2, 2, 2}, {1, 1, 1, 2}, {1, 5, 7, 1}, {1, 1, 2, 1}, {2, 3}, {}},
};

TEST_CASE("convolutions gather what each input would scatter, in all types") {
    unsigned seed = 1;
    for (Problem problem : kProblems)
        for (const Types& types : kAll)
            for (const bool broadcast_bias : {false, true}) {
                CAPTURE(seed);
                CAPTURE(name(problem.op));
                CAPTURE(name(types.in));
                if (types.in == DType::Int8) problem.in_zero = -3;
                if (types.weight == DType::Int8 && types.in == DType::Int8) problem.weight_zero = 2;
                const Reals in = random_tensor(types.in, problem.in, 4, seed++).reals();
                const Reals weight = random_tensor(types.weight, problem.weight, 4, seed++).reals();
                const std::int32_t channels = broadcast_bias ? 1 : problem.out.back();
                const Reals bias = random_tensor(types.out, {channels}, 9, seed++).reals();
                CHECK(convolve(problem, types, in, weight, bias) ==
                      scattered(problem, types, in, weight, bias));
                problem.in_zero = problem.weight_zero = 0;
            }
}

Problem conv2d(Dims in, Dims weight, Dims out, List pad = {0, 0, 0, 0}, List stride = {1, 1},
               List dilation = {1, 1}) {
    return {Op::Conv2d,     std::move(in),     std::move(weight),  std::move(out),
            std::move(pad), std::move(stride), std::move(dilation)};
}

const Reals kNine{1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_CASE("CONV2D by hand") {
    const Reals kernel{1, 2, 3, 4};
    CHECK(convolve(conv2d({1, 3, 3, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}), kFloat, kNine, kernel, {10}) ==
          Reals{47, 57, 77, 87});
    CHECK(convolve(conv2d({1, 3, 3, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}, {1, 0, 1, 0}, {2, 2}), kFloat,
                   kNine, kernel, {0}) == Reals{4, 18, 36, 77});
    CHECK(convolve(conv2d({1, 3, 3, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1}, {2, 2}),
                   kFloat, kNine, kernel, {0}) == Reals{1 + 6 + 21 + 36});
    // Two input channels to three output channels, a bias each.
    CHECK(convolve(conv2d({1, 1, 2, 2}, {3, 1, 1, 2}, {1, 1, 2, 3}), kFloat, {1, 2, 3, 4},
                   {1, 0, 0, 1, 1, -1}, {10, 20, 30}) == Reals{11, 22, 29, 13, 24, 29});
    // Padding stands for the zero point, thus for nothing.
    Problem padded = conv2d({1, 1, 2, 1}, {1, 1, 3, 1}, {1, 1, 2, 1}, {0, 0, 1, 1});
    padded.in_zero = 5;
    padded.weight_zero = -1;
    CHECK(convolve(padded, kInt8, {6, 4}, {0, 1, 2}, {100}) == Reals{99, 99});
}

TEST_CASE("DEPTHWISE_CONV2D and TRANSPOSE_CONV2D by hand") {
    const Problem depthwise{Op::DepthwiseConv2d, {1, 1, 2, 2}, {1, 2, 2, 2}, {1, 1, 1, 4},
                            {0, 0, 0, 0},        {1, 1},       {1, 1}};
    CHECK(convolve(depthwise, kFloat, {1, 10, 2, 20}, {1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3}) ==
          Reals{11, 15, 172, 203});
    const Problem transposed{
        Op::TransposeConv2d, {1, 1, 2, 1}, {1, 2, 2, 1}, {1, 2, 5, 1}, {0, 0, 0, 1}, {1, 2}, {}};
    CHECK(convolve(transposed, kFloat, {1, 10}, {1, 2, 3, 4}, {0}) ==
          Reals{1, 2, 10, 20, 0, 3, 4, 30, 40, 0});
}

// <conv(x), y> = <x, conv^T(y)>, with the channels of the weights exchanged.
TEST_CASE("TRANSPOSE_CONV2D is the adjoint of CONV2D") {
    const Dims small{2, 3, 4, 2};
    const Dims large{2, 7, 9, 3};
    const Problem forward = conv2d(large, {2, 3, 2, 3}, small, {0, 0, 1, 1}, {2, 3});
    const Problem backward{
        Op::TransposeConv2d, small, {3, 3, 2, 2}, large, {0, 0, -1, -1}, {2, 3}, {}};
    const Reals x = random_tensor(DType::Fp32, large, 9, 11).reals();
    const Reals y = random_tensor(DType::Fp32, small, 9, 12).reals();
    const Reals weight = random_tensor(DType::Fp32, forward.weight, 9, 13).reals();
    Reals exchanged(weight.size());
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const std::size_t in_channel = i % 3;
        const std::size_t tap = i / 3 % 6;
        const std::size_t out_channel = i / 18;
        exchanged[(in_channel * 6 + tap) * 2 + out_channel] = weight[i];
    }
    const auto inner = [](const Reals& a, const Reals& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            sum += a[i] * b[i];
        return sum;
    };
    const double product = inner(convolve(forward, kFloat, x, weight, {0}), y);
    CHECK(product != 0);
    CHECK(product == inner(x, convolve(backward, kFloat, y, exchanged, {0})));
}

TEST_CASE("CONV2D of integers at their extremes") {
    Problem full = conv2d({1, 1, 1, 3}, {1, 1, 1, 3}, {1, 1, 1, 1});
    full.in_zero = 127;
    full.weight_zero = 127;
    CHECK(convolve(full, kInt8, {-128, -128, -128}, {-128, -128, -128}, {-1}) ==
          Reals{3 * 65025 - 1});
    // An odd count of INT4: the last byte holds one.
    full.weight_zero = 0;
    CHECK(convolve(full, kInt4, {126, 125, -128}, {7, -7, -1}, {0}) == Reals{-7 + 14 + 255});
    full.in_zero = 0;
    const double bias = -std::ldexp(1, 46);
    CHECK(convolve(full, kInt16, {-32768, 32767, 1}, {127, -128, 5}, {bias}) ==
          Reals{bias - 32768.0 * 127 - 32767.0 * 128 + 5});
    // Beyond the accumulator: modulo 2^32 and 2^48.
    CHECK(convolve(full, kInt8, {1, 1, 1}, {1, 1, 1}, {INT32_MAX}) == Reals{INT32_MIN + 2.0});
    CHECK(convolve(full, kInt16, {1, 1, 1}, {1, 1, 1}, {std::ldexp(1, 47) - 1}) ==
          Reals{2 - std::ldexp(1, 47)});
}

TEST_CASE("CONV2D of floats is rounded once, after the bias") {
    const Problem pair = conv2d({1, 1, 1, 2}, {1, 1, 1, 2}, {1, 1, 1, 1});
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const auto accumulator : {tosa::fbs::DType::FP16, tosa::fbs::DType::FP32}) {
        const Types half{DType::Fp16, DType::Fp16, DType::Fp16, accumulator};
        CHECK(convolve(pair, half, {60000, 60000}, {1, 1}, {-60000}) == Reals{60000});
        CHECK(convolve(pair, half, {2048, 1}, {1, 1}, {1}) == Reals{2050});
        CHECK(convolve(pair, half, {60000, 60000}, {1, 1}, {0}) == Reals{kInfinity});
        CHECK(std::isnan(convolve(pair, half, {kInfinity, 1}, {0, 1}, {0}).front()));
    }
    // What padding would multiply does not make NaN.
    CHECK(convolve(conv2d({1, 1, 1, 1}, {1, 1, 3, 1}, {1, 1, 1, 1}, {0, 0, 1, 1}), kFloat, {2},
                   {kInfinity, 3, kInfinity}, {0}) == Reals{6});
}

}  // namespace
}  // namespace cpu::test
