// SPDX-License-Identifier: MIT
//
// Builds convolutional networks as TOSA programs, layer by layer, in FP32 or quantised to INT8.
// The weights are random, the same at every run, and so scaled that activations neither vanish
// nor grow.
#pragma once

#include <random>

#include "tosa/attributes.hpp"

namespace networks {

using tosa::DType;
using tosa::Op;
using tosa::test::Dims;

enum class Arithmetic : std::uint8_t { Fp32, Int8 };

// The tensor between two layers.
struct Activation {
    std::string name;
    Dims shape;                  // NHWC
    std::int8_t zero_point = 0;  // of INT8
};

enum class Bound : std::uint8_t {
    None,
    Relu6,  // in INT8 the zero point is the least number, and RESCALE bounds from below
};

class Network {
 public:
    explicit Network(Arithmetic arithmetic) : arithmetic_(arithmetic) {}

    [[nodiscard]] Activation input(const std::string& name, const Dims& shape);
    // As large as its input, divided by the stride.
    [[nodiscard]] Activation convolution(const Activation& x, std::int32_t channels,
                                         std::int32_t kernel, std::int32_t stride, Bound bound);
    [[nodiscard]] Activation depthwise(const Activation& x, std::int32_t kernel,
                                       std::int32_t stride, Bound bound);
    [[nodiscard]] Activation add(const Activation& a, const Activation& b);
    // Of each channel, over the whole image.
    [[nodiscard]] Activation average(const Activation& x);
    // Of images of one pixel: [1, N, CLASSES], INT32 where the network is INT8.
    void classifier(const Activation& x, const std::string& name, std::int32_t classes);

    tosa::test::GraphBuilder graph;

 private:
    [[nodiscard]] DType value() const;  // of activations and weights
    [[nodiscard]] DType sum() const;    // of what convolutions give, and biases

    std::string fresh(const std::string& layer);
    [[nodiscard]] double random(double limit);
    // Whose sums of `terms` products are about as large as what they are multiplied with.
    std::string weights(const std::string& name, const Dims& shape, std::int64_t terms,
                        double gain);
    std::string bias(const std::string& name, const Dims& shape, std::int64_t terms);
    std::string zero_point(const std::string& name, DType type, std::int32_t point);

    [[nodiscard]] Activation window(Op op, const Activation& x, std::int32_t kernel,
                                    std::int32_t stride, Bound bound, std::int32_t channels);
    // A scale for each channel where there are several.
    void rescale(const std::string& from, DType from_type, std::int32_t from_point,
                 const std::string& to, DType to_type, std::int32_t to_point,
                 const std::vector<double>& scales);
    [[nodiscard]] Activation bounded(Activation x, Bound bound);

    Arithmetic arithmetic_;
    std::mt19937 generator_;  // its numbers are in the standard, those of distributions are not
    int layers_ = 0;
};

}  // namespace networks
