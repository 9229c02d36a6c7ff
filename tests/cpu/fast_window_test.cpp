// SPDX-License-Identifier: MIT
//
// CONV2D, DEPTHWISE_CONV2D and pooling, held against loops that read as the specification does.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cpu/fast.hpp"
#include "cpu/kernels/gemm.hpp"
#include "cpu/one_operator.hpp"

namespace cpu::test {
namespace {

using tosa::DType;
using tosa::Op;
using Dims = std::vector<std::int32_t>;
using Contents = std::vector<std::byte>;

struct Shape {
    Dims in;
    std::int32_t out_channels;  // CONV2D's
    Dims kernel;
    Dims stride;
    Dims pad;
    Dims dilation;
};

const Shape kShapes[] = {
    {{1, 1, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 5, 7, 3}, 5, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {{2, 9, 11, 17}, 33, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {{1, 12, 13, 16}, 7, {2, 5}, {1, 2}, {1, 0, 3, 3}, {1, 1}},
    {{1, 8, 9, 35}, 40, {3, 2}, {1, 1}, {2, 2, 1, 0}, {2, 3}},
    {{1, 5, 9, 4}, 6, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {{1, 6, 30, 64}, 12, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {{1, 4, 4, 290}, 31, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {{2, 7, 40, 3}, 9, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
    {{1, 7, 30, 70}, 33, {3, 3}, {1, 1}, {1, 1, 1, 1}, {2, 1}},
    {{1, 2, 3, 2}, 3, {4, 5}, {1, 1}, {3, 3, 4, 4}, {1, 1}},
};

std::int32_t out_extent(const Shape& s, std::size_t axis, bool dilated) {
    const std::int32_t dilation = dilated ? s.dilation[axis] : 1;
    return (s.in[1 + axis] - 1 + s.pad[2 * axis] + s.pad[2 * axis + 1] -
            (s.kernel[axis] - 1) * dilation) /
               s.stride[axis] +
           1;
}

std::uint64_t elements(const Dims& dims) {
    std::uint64_t product = 1;
    for (const std::int32_t dim : dims)
        product *= static_cast<std::uint64_t>(dim);
    return product;
}

std::uint64_t size_of(DType type) {
    if (type == DType::Int8) return 1;
    return type == DType::Fp16 || type == DType::Bf16 || type == DType::Int16 ? 2 : 4;
}

// Calls body(input element, ky * KW + kx) for the taps of an output that lie in the input.
template <class Body>
void for_each_tap(const Shape& s, bool dilated, const Dims& out, std::uint64_t pixel,
                  std::int64_t channel, Body body) {
    const auto at = static_cast<std::int64_t>(pixel);
    const std::int64_t dy = dilated ? s.dilation[0] : 1;
    const std::int64_t dx = dilated ? s.dilation[1] : 1;
    const std::int64_t batch = at / out[2] / out[1];
    for (std::int64_t ky = 0; ky < s.kernel[0]; ++ky)
        for (std::int64_t kx = 0; kx < s.kernel[1]; ++kx) {
            const std::int64_t y = at / out[2] % out[1] * s.stride[0] - s.pad[0] + ky * dy;
            const std::int64_t x = at % out[2] * s.stride[1] - s.pad[2] + kx * dx;
            if (y < 0 || y >= s.in[1] || x < 0 || x >= s.in[2]) continue;
            body(static_cast<std::uint64_t>(((batch * s.in[1] + y) * s.in[2] + x) * s.in[3] +
                                            channel),
                 static_cast<std::uint64_t>(ky * s.kernel[1] + kx));
        }
}

std::string describe(const Shape& s, DType type) {
    std::string text(name(type));
    for (const Dims& dims : {s.in, Dims{s.out_channels}, s.kernel, s.stride, s.pad, s.dilation})
        for (const std::int32_t dim : dims)
            text += ' ' + std::to_string(dim);
    return text;
}

struct Convolution {
    Op op;
    const Shape& s;
    DType type;
    bool constant;
    bool one_bias;

    void check() const {
        const bool deep = op == Op::DepthwiseConv2d;
        const bool integer = type == DType::Int8;
        const DType out_type = integer ? DType::Int32 : type;
        const std::int32_t channels = deep ? s.in[3] : s.out_channels;
        const Dims out{s.in[0], out_extent(s, 0, true), out_extent(s, 1, true), channels};
        const Dims weight_dims = deep ? Dims{s.kernel[0], s.kernel[1], s.in[3], 1}
                                      : Dims{channels, s.kernel[0], s.kernel[1], s.in[3]};
        const Dims bias_dims{one_bias ? 1 : channels};
        const Dims one{1};
        const Contents in = random_contents(type, elements(s.in), 1);
        const Contents weights = random_contents(type, elements(weight_dims), 2);
        const Contents bias = random_contents(out_type, elements(bias_dims), 3);
        const Contents in_zero(4, integer ? std::byte{0x85} : std::byte{});  // -123
        const Contents weight_zero(4, integer && one_bias ? std::byte{9} : std::byte{});

        OneOperator only(op, [&](flatbuffers::FlatBufferBuilder& builder) {
            const auto pad = builder.CreateVector(s.pad);
            const auto stride = builder.CreateVector(s.stride);
            const auto dilation = builder.CreateVector(s.dilation);
            return deep ? tosa::fbs::CreateDepthwiseConv2dAttribute(builder, pad, stride, dilation)
                              .Union()
                        : tosa::fbs::CreateConv2dAttribute(builder, pad, stride, dilation).Union();
        });
        const auto constant_if = [](bool is, const Contents& contents) {
            return is ? std::span(contents) : std::span<const std::byte>();
        };
        only.value(type, s.in, size_of(type));
        only.value(type, weight_dims, size_of(type), constant_if(constant, weights));
        only.value(out_type, bias_dims, size_of(out_type));
        only.value(type, one, size_of(type), in_zero);
        only.value(type, one, size_of(type), weight_zero);
        only.value(out_type, out, size_of(out_type));
        if (type == DType::Fp16 && !computes(Element::Fp16)) return;
        const auto kernel = only.kernel(Engine::Fast);
        REQUIRE(kernel != nullptr);
        Contents result(elements(out) * 4);
        OneOperator::run(
            *kernel, {in.data(), weights.data(), bias.data(), in_zero.data(), weight_zero.data()},
            result.data());

        std::uint64_t wrong = 0;
        const auto all = static_cast<std::uint64_t>(channels);
        for (std::uint64_t i = 0; i < elements(out); ++i) {
            const std::uint64_t channel = i % all;
            const std::uint64_t bias_at = one_bias ? 0 : channel;
            double sum = 0;
            double magnitude = 0;
            std::int64_t exact = 0;
            std::uint64_t count = 0;
            const auto tap = [&](std::uint64_t in_at, std::uint64_t weight_at) {
                ++count;
                if (integer) {
                    exact += (tosa::read_integer(type, in.data(), in_at) + 123) *
                             (tosa::read_integer(type, weights.data(), weight_at) -
                              static_cast<std::int64_t>(weight_zero[0]));
                    return;
                }
                const double product = tosa::read_float(type, in.data(), in_at) *
                                       tosa::read_float(type, weights.data(), weight_at);
                sum += product;
                magnitude += std::abs(product);
            };
            for_each_tap(s, true, out, i / all, deep ? static_cast<std::int64_t>(channel) : 0,
                         [&](std::uint64_t in_at, std::uint64_t at) {
                             const auto depth = static_cast<std::uint64_t>(s.in[3]);
                             const std::uint64_t window = elements(s.kernel);
                             if (deep) return tap(in_at, at * depth + channel);
                             for (std::uint64_t k = 0; k < depth; ++k)
                                 tap(in_at + k, (channel * window + at) * depth + k);
                         });
            if (integer) {
                exact += tosa::read_integer(out_type, bias.data(), bias_at);
                if (tosa::read_integer(out_type, result.data(), i) != exact) ++wrong;
                continue;
            }
            const double added = tosa::read_float(out_type, bias.data(), bias_at);
            sum += added;
            magnitude += std::abs(added);
            const double bound =
                static_cast<double>(count + 64) * std::ldexp(magnitude, -23) +
                std::ldexp(std::abs(sum), -tosa::float_format(out_type).fraction_bits - 1) * 1.01;
            if (!(std::abs(tosa::read_float(out_type, result.data(), i) - sum) <= bound)) ++wrong;
        }
        CHECK(wrong == 0);
    }
};

TEST_CASE("fast CONV2D and DEPTHWISE_CONV2D on every instruction set") {
    on_every_target([] {
        for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Int8})
            for (const Shape& shape : kShapes)
                for (const bool one_bias : {false, true}) {
                    const std::string which = describe(shape, type);
                    CAPTURE(which);
                    CAPTURE(one_bias);
                    Convolution{Op::Conv2d, shape, type, !one_bias, one_bias}.check();
                    Convolution{Op::DepthwiseConv2d, shape, type, true, one_bias}.check();
                }
    });
}

struct Pooling {
    Op op;
    const Shape& s;
    DType type;
    tosa::NanMode nan_mode;

    [[nodiscard]] bool right(const Contents& in, const Contents& result, const Dims& out,
                             std::uint64_t i) const {
        const bool real = tosa::is_float(type);
        const auto depth = static_cast<std::uint64_t>(s.in[3]);
        std::vector<double> seen;
        for_each_tap(
            s, false, out, i / depth, static_cast<std::int64_t>(i % depth),
            [&](std::uint64_t at, std::uint64_t /*tap*/) {
                seen.push_back(real ? tosa::read_float(type, in.data(), at)
                                    : static_cast<double>(tosa::read_integer(type, in.data(), at)));
            });
        const double actual = real
                                  ? tosa::read_float(type, result.data(), i)
                                  : static_cast<double>(tosa::read_integer(type, result.data(), i));
        if (op == Op::MaxPool2d) {
            const bool ignore = nan_mode == tosa::NanMode::Ignore;
            if (ignore) std::erase_if(seen, [](double x) { return std::isnan(x); });
            if (seen.empty() || std::ranges::any_of(seen, [](double x) { return std::isnan(x); }))
                return std::isnan(actual);
            return actual == std::ranges::max(seen);
        }
        double sum = 0;
        double magnitude = 0;
        for (const double x : seen) {
            sum += x - (real ? 0 : -7);
            magnitude += std::abs(x);
        }
        const double mean = sum / static_cast<double>(seen.size());
        if (!real) return actual == scaled_mean(sum, seen.size());
        return std::abs(actual - mean) <=
               std::ldexp(magnitude, -20) +
                   std::ldexp(std::abs(mean), -tosa::float_format(type).fraction_bits - 1) * 1.01;
    }

    // The integer arithmetic of TOSA, where a mean is not the nearest number in all cases.
    static double scaled_mean(double sum, std::size_t count) {
        int k = 0;
        while ((std::size_t{1} << k) < count)
            ++k;
        const double multiplier =
            std::floor(std::ldexp(std::ldexp(1.0, 30) + 1, k) / static_cast<double>(count));
        const double scaled = std::floor(std::ldexp(sum * multiplier, -30 - k) + 0.5);
        return std::clamp(scaled + 3, -128.0, 127.0);
    }

    void check() const {
        const Dims out{s.in[0], out_extent(s, 0, false), out_extent(s, 1, false), s.in[3]};
        const Dims one{1};
        Contents in = random_contents(type, elements(s.in), 5);
        if (tosa::is_float(type) && op == Op::MaxPool2d)
            for (std::uint64_t i = 0; i < elements(s.in); i += 5)
                tosa::write_float(type, in.data(), i,
                                  i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                             : -std::numeric_limits<double>::infinity());
        const Contents in_zero(4, std::byte{0xF9});  // -7
        const Contents out_zero(4, std::byte{3});
        OneOperator only(op, [&](flatbuffers::FlatBufferBuilder& builder) {
            const auto kernel = builder.CreateVector(s.kernel);
            const auto stride = builder.CreateVector(s.stride);
            const auto pad = builder.CreateVector(s.pad);
            return op == Op::MaxPool2d
                       ? tosa::fbs::CreateMaxPool2dAttribute(
                             builder, kernel, stride, pad,
                             static_cast<tosa::fbs::NanPropagationMode>(nan_mode))
                             .Union()
                       : tosa::fbs::CreateAvgPool2dAttribute(builder, kernel, stride, pad).Union();
        });
        only.value(type, s.in, size_of(type));
        if (op == Op::AvgPool2d) only.value(type, one, size_of(type), in_zero);
        if (op == Op::AvgPool2d) only.value(type, one, size_of(type), out_zero);
        only.value(type, out, size_of(type));
        if (type == DType::Fp16 && !computes(Element::Fp16)) return;
        const auto kernel = only.kernel(Engine::Fast);
        REQUIRE(kernel != nullptr);
        Contents result(elements(out) * 4);
        OneOperator::run(*kernel, {in.data(), in_zero.data(), out_zero.data()}, result.data());
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < elements(out); ++i)
            if (!right(in, result, out, i)) ++wrong;
        CHECK(wrong == 0);
    }
};

TEST_CASE("fast AVG_POOL2D and MAX_POOL2D on every instruction set") {
    on_every_target([] {
        for (const DType type : {DType::Fp32, DType::Fp16, DType::Bf16, DType::Int8, DType::Int16})
            for (const Shape& shape : kShapes)
                for (const auto mode : {tosa::NanMode::Propagate, tosa::NanMode::Ignore}) {
                    const std::string which = describe(shape, type);
                    CAPTURE(which);
                    // A window may not lie in the padding as a whole.
                    if (shape.pad[0] >= shape.kernel[0]) continue;
                    Pooling{Op::MaxPool2d, shape, type, mode}.check();
                    if (type != DType::Int16) Pooling{Op::AvgPool2d, shape, type, mode}.check();
                }
    });
}

}  // namespace
}  // namespace cpu::test
