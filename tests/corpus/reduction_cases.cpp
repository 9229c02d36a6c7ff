// SPDX-License-Identifier: MIT
//
// Reductions along each axis, of rows of odd length, and Fourier transforms.
#include <array>

#include "corpus/recipe.hpp"

namespace corpus {
namespace {

constexpr tosa::Target kFft{.profiles = tosa::kProfileFloat, .extensions = tosa::kExtensionFft};

Dims reduced(Dims shape, std::int32_t axis) {
    shape[static_cast<std::size_t>(axis)] = 1;
    return shape;
}

void add_reductions(std::vector<Case>& cases, std::int32_t axis) {
    const std::string suffix = "-odd-axis" + std::to_string(axis);
    const Dims shape{3, 5, 7};
    const auto add = [&](const std::string& name, Op op, const Tensor& x,
                         const tosa::Target& target) {
        cases.push_back(Recipe(name, target)
                            .input(x)
                            .output(op, computed(x.type, reduced(x.shape, axis)), kExact,
                                    attribute(op, {.axis = axis})));
    };
    for (const auto& [name, op] : {std::pair{"reduce-sum", Op::ReduceSum},
                                   {"reduce-max", Op::ReduceMax},
                                   {"reduce-min", Op::ReduceMin}}) {
        add(name + suffix + "-fp16", op, pattern(DType::Fp16, shape, 2), kFloat);
        add(name + suffix + "-int32", op, pattern(DType::Int32, shape, 2), kInteger);
    }
    // Powers of two, so that products are exact, and none is 0.
    constexpr std::array kFactors{1.0, -2.0, .5, -1.0, 2.0};
    std::vector<double> factors(105);
    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] = kFactors[i * i % kFactors.size()];
    add("reduce-product" + suffix + "-fp16", Op::ReduceProduct, tensor(DType::Fp16, shape, factors),
        kFloat);
    std::vector<double> few(factors.size());
    std::vector<double> most(factors.size());
    for (std::size_t i = 0; i < few.size(); ++i) {
        few[i] = i * i % 19 == 1;
        most[i] = 1 - few[i];
    }
    add("reduce-any" + suffix, Op::ReduceAny, tensor(DType::Bool, shape, few), kInteger);
    add("reduce-all" + suffix, Op::ReduceAll, tensor(DType::Bool, shape, most), kInteger);

    Dims left = shape;
    left.erase(left.begin() + axis);
    for (const auto& [name, type, target] : kKinds)
        cases.push_back(Recipe("argmax" + suffix + name, target)
                            .input(pattern(type, shape, 2))
                            .output(Op::Argmax, computed(DType::Int32, left), kExact,
                                    attribute(Op::Argmax, {.axis = axis})));
}

void add_fourier(std::vector<Case>& cases) {
    const Tensor real = pattern(DType::Fp32, {2, 4, 8}, 2);
    const Tensor imaginary = pattern(DType::Fp32, {2, 4, 8}, 5);
    const auto pair = [](const Dims& shape) {
        return std::vector<Tensor>(2, computed(DType::Fp32, shape));
    };
    cases.push_back(
        Recipe("rfft2d-fp32", kFft)
            .input(real)
            .outputs(Op::Rfft2d, pair({2, 4, 5}), kProducts, attribute(Op::Rfft2d, {})));
    for (const bool inverse : {false, true})
        cases.push_back(Recipe(inverse ? "fft2d-inverse-fp32" : "fft2d-fp32", kFft)
                            .input(real)
                            .input(imaginary)
                            .outputs(Op::Fft2d, pair({2, 4, 8}), kProducts,
                                     attribute(Op::Fft2d, {.inverse = inverse})));
}

}  // namespace

void add_reduction_cases(std::vector<Case>& cases) {
    for (const std::int32_t axis : {0, 1, 2})
        add_reductions(cases, axis);
    add_fourier(cases);
}

}  // namespace corpus
