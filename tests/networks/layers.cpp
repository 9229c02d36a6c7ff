// SPDX-License-Identifier: MIT
#include "networks/layers.hpp"

#include <cmath>
#include <numbers>

namespace networks {
namespace {

using tosa::test::attribute;
using tosa::test::bytes_of;

// Of INT8 weights, each as likely as the others.
constexpr double kWeightLimit = 127;
constexpr double kWeightDeviation = kWeightLimit / std::numbers::sqrt3;
// Of INT8 activations where nothing bounds them from below, and of images.
constexpr std::int8_t kFreePoint = -4;
// The six of Relu6, from the zero point -128.
constexpr std::int8_t kLargest = 100;
// What is added has this many bits below those of INT8.
constexpr int kGuardBits = 8;

template <class T>
std::vector<std::byte> bytes(const std::vector<T>& elements) {
    const auto view = std::as_bytes(std::span(elements));
    return {view.begin(), view.end()};
}

std::int64_t count(const Dims& shape) {
    std::int64_t product = 1;
    for (const std::int32_t extent : shape)
        product *= extent;
    return product;
}

// ReLU lets half of the energy through.
double gain(Bound bound) {
    return bound == Bound::Relu6 ? std::numbers::sqrt2 : 1;
}

}  // namespace

DType Network::value() const {
    return arithmetic_ == Arithmetic::Int8 ? DType::Int8 : DType::Fp32;
}
DType Network::sum() const {
    return arithmetic_ == Arithmetic::Int8 ? DType::Int32 : DType::Fp32;
}

std::string Network::fresh(const std::string& layer) {
    return layer + std::to_string(layers_++);
}

double Network::random(double limit) {
    return (static_cast<double>(generator_()) * 0x1p-31 - 1) * limit;
}

std::string Network::weights(const std::string& name, const Dims& shape, std::int64_t terms,
                             double gain) {
    const auto size = static_cast<std::size_t>(count(shape));
    if (arithmetic_ == Arithmetic::Int8) {
        std::vector<std::int8_t> made(size);
        for (auto& each : made)
            each = static_cast<std::int8_t>(std::lrint(random(kWeightLimit)));
        graph.constant(name, shape, bytes(made), DType::Int8);
    } else {
        std::vector<float> made(size);
        for (auto& each : made)
            each = static_cast<float>(random(gain * std::sqrt(3.0 / static_cast<double>(terms))));
        graph.constant(name, shape, bytes(made));
    }
    return name;
}

std::string Network::bias(const std::string& name, const Dims& shape, std::int64_t terms) {
    const auto size = static_cast<std::size_t>(count(shape));
    if (arithmetic_ == Arithmetic::Int8) {
        constexpr double kActivation = 10;
        const double limit = kActivation * kWeightDeviation * std::sqrt(terms);
        std::vector<std::int32_t> made(size);
        for (auto& each : made)
            each = static_cast<std::int32_t>(random(limit));
        graph.constant(name, shape, bytes(made), DType::Int32);
    } else {
        std::vector<float> made(size);
        for (auto& each : made)
            each = static_cast<float>(random(.25));
        graph.constant(name, shape, bytes(made));
    }
    return name;
}

std::string Network::zero_point(const std::string& name, DType type, std::int32_t point) {
    auto data = bytes_of({point});  // little-endian, and zero in floating point
    if (type == DType::Int8) data.resize(1);
    graph.constant(name, {1}, std::move(data), type);
    return name;
}

Activation Network::input(const std::string& name, const Dims& shape) {
    graph.input(name, shape, value());
    return {name, shape, arithmetic_ == Arithmetic::Int8 ? kFreePoint : std::int8_t{0}};
}

Activation Network::convolution(const Activation& x, std::int32_t channels, std::int32_t kernel,
                                std::int32_t stride, Bound bound) {
    return window(Op::Conv2d, x, kernel, stride, bound, channels);
}

Activation Network::depthwise(const Activation& x, std::int32_t kernel, std::int32_t stride,
                              Bound bound) {
    return window(Op::DepthwiseConv2d, x, kernel, stride, bound, x.shape[3]);
}

Activation Network::window(Op op, const Activation& x, std::int32_t kernel, std::int32_t stride,
                           Bound bound, std::int32_t channels) {
    const bool depthwise = op == Op::DepthwiseConv2d;
    const std::string name = fresh(depthwise ? "depthwise" : "convolution");
    const std::int32_t in = x.shape[3];
    const std::int64_t terms = std::int64_t{kernel} * kernel * (depthwise ? 1 : in);
    Dims shape{x.shape[0], 0, 0, channels};
    Dims pad;
    for (const std::size_t axis : {1U, 2U}) {
        const std::int32_t size = x.shape[axis];
        shape[axis] = (size - 1) / stride + 1;
        const std::int32_t before = kernel / 2;
        pad.insert(pad.end(), {before, (shape[axis] - 1) * stride + kernel - size - before});
    }
    const Dims weight_shape =
        depthwise ? Dims{kernel, kernel, in, 1} : Dims{channels, kernel, kernel, in};
    const std::string product = name + ".product";
    const tosa::test::Names operands{x.name,
                                     weights(name + ".weights", weight_shape, terms, gain(bound)),
                                     bias(name + ".bias", {channels}, terms),
                                     zero_point(name + ".input_zp", value(), x.zero_point),
                                     zero_point(name + ".weights_zp", value(), 0)};
    graph.tensor(product, shape, sum());
    graph.op(op, operands, {product},
             attribute(op, {.stride = Dims{stride, stride},
                            .pad = pad,
                            .dilation = Dims{1, 1},
                            .acc_type = sum()}));
    if (arithmetic_ == Arithmetic::Fp32) return bounded({product, shape}, bound);

    std::vector<double> scales(static_cast<std::size_t>(channels));
    for (auto& scale : scales)
        scale = gain(bound) * (1 + random(.25)) / (kWeightDeviation * std::sqrt(terms));
    const std::int8_t point = bound == Bound::Relu6 ? std::int8_t{-128} : kFreePoint;
    graph.tensor(name, shape, DType::Int8);
    rescale(product, DType::Int32, 0, name, DType::Int8, point, scales);
    return bounded({name, shape, point}, bound);
}

void Network::rescale(const std::string& from, DType from_type, std::int32_t from_point,
                      const std::string& to, DType to_type, std::int32_t to_point,
                      const std::vector<double>& scales) {
    std::vector<std::int32_t> multipliers;
    std::vector<std::int8_t> shifts;
    for (const double scale : scales) {
        int exponent = 0;
        multipliers.push_back(static_cast<std::int32_t>(std::frexp(scale, &exponent) * 0x1p31));
        shifts.push_back(static_cast<std::int8_t>(31 - exponent));
    }
    const Dims shape{static_cast<std::int32_t>(scales.size())};
    graph.constant(to + ".multiplier", shape, bytes(multipliers), DType::Int32);
    graph.constant(to + ".shift", shape, bytes(shifts), DType::Int8);
    const tosa::test::Names operands{from, to + ".multiplier", to + ".shift",
                                     zero_point(to + ".from_zp", from_type, from_point),
                                     zero_point(to + ".to_zp", to_type, to_point)};
    graph.op(Op::Rescale, operands, {to},
             attribute(Op::Rescale, {.per_channel = scales.size() > 1}));
}

Activation Network::bounded(Activation x, Bound bound) {
    if (bound == Bound::None) return x;
    const std::string name = x.name + ".bounded";
    graph.tensor(name, x.shape, value());
    if (arithmetic_ == Arithmetic::Int8)
        graph.clamp(x.name, name, bytes_of({x.zero_point}), bytes_of({kLargest}));
    else
        graph.clamp(x.name, name, 0.0F, 6.0F);
    x.name = name;
    return x;
}

Activation Network::add(const Activation& a, const Activation& b) {
    const std::string name = fresh("add");
    graph.tensor(name, a.shape, sum());
    if (arithmetic_ == Arithmetic::Fp32) {
        graph.op(Op::Add, {a.name, b.name}, {name});
        return {name, a.shape};
    }
    tosa::test::Names sides;
    for (const Activation& x : {a, b}) {
        sides.push_back(name + (sides.empty() ? ".a" : ".b"));
        graph.tensor(sides.back(), a.shape, DType::Int32);
        rescale(x.name, DType::Int8, x.zero_point, sides.back(), DType::Int32, 0,
                {1 << kGuardBits});
    }
    graph.op(Op::Add, sides, {name});
    const std::string narrow = name + ".rescaled";
    graph.tensor(narrow, a.shape, DType::Int8);
    rescale(name, DType::Int32, 0, narrow, DType::Int8, kFreePoint,
            {1 / (std::numbers::sqrt2 * (1 << kGuardBits))});
    return {narrow, a.shape, kFreePoint};
}

Activation Network::average(const Activation& x) {
    const std::string name = fresh("average");
    const Dims shape{x.shape[0], 1, 1, x.shape[3]};
    const tosa::test::Names operands{x.name, zero_point(name + ".in_zp", value(), x.zero_point),
                                     zero_point(name + ".out_zp", value(), x.zero_point)};
    graph.tensor(name, shape, value());
    graph.op(Op::AvgPool2d, operands, {name},
             attribute(Op::AvgPool2d, {.kernel = Dims{x.shape[1], x.shape[2]},
                                       .stride = Dims{1, 1},
                                       .pad = Dims{0, 0, 0, 0},
                                       .acc_type = sum()}));
    return {name, shape, x.zero_point};
}

void Network::classifier(const Activation& x, const std::string& name, std::int32_t classes) {
    const std::int32_t images = x.shape[0];
    const std::int32_t features = x.shape[3];
    graph.tensor(name + ".features", {1, images, features}, value());
    graph.tensor(name + ".product", {1, images, classes}, sum());
    graph.output(name, {1, images, classes}, sum());
    graph.shape(name + ".shape", {1, images, features});
    graph.op(Op::Reshape, {x.name, name + ".shape"}, {name + ".features"});
    const tosa::test::Names operands{
        name + ".features", weights(name + ".weights", {1, features, classes}, features, 1),
        zero_point(name + ".features_zp", value(), x.zero_point),
        zero_point(name + ".weights_zp", value(), 0)};
    graph.op(Op::MatMul, operands, {name + ".product"});
    graph.op(Op::Add, {name + ".product", bias(name + ".bias", {1, 1, classes}, features)}, {name});
}

}  // namespace networks
