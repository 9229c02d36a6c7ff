// SPDX-License-Identifier: MIT
//
// What takes several vectors, blocks and workgroups, of sizes that none of those divides.
#include <numeric>

#include "corpus/recipe.hpp"

namespace corpus {
namespace {

// Sums of the products of patterns are exact in FP16 as well, up to 81 of them.
void add_products(std::vector<Case>& cases, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    const bool integer = type == DType::Int8;
    const DType sum = integer ? DType::Int32 : type;
    const Tensor point = tensor(type, {1}, {integer ? 3.0 : 0.0});
    cases.push_back(Recipe(std::string("matmul-large") + suffix, target)
                        .input(pattern(type, {1, 37, 67}, 2))
                        .input(pattern(type, {1, 67, 35}, 5))
                        .constant(point)
                        .constant(point)
                        .output(Op::MatMul, computed(sum, {1, 37, 35})));
    const auto add = [&](const std::string& name, Op op, const Dims& weights, const Dims& out) {
        const DType acc = integer ? DType::Int32 : DType::Fp32;
        cases.push_back(Recipe(name + suffix, target)
                            .input(pattern(type, {1, 13, 11, 9}, 2))
                            .constant(pattern(type, weights, 5))
                            .constant(pattern(sum, {out[3]}, 3))
                            .constant(point)
                            .constant(point)
                            .output(op, computed(sum, out), kExact,
                                    attribute(op, {.stride = Dims{1, 1},
                                                   .pad = Dims{1, 1, 1, 1},
                                                   .dilation = Dims{1, 1},
                                                   .acc_type = acc})));
    };
    add("conv2d-large", Op::Conv2d, {19, 3, 3, 9}, {1, 13, 11, 19});
    add("depthwise-conv2d-large", Op::DepthwiseConv2d, {3, 3, 9, 1}, {1, 13, 11, 9});
}

void add_elements(std::vector<Case>& cases, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    // INT8 is not added.
    const DType added = type == DType::Int8 ? DType::Int32 : type;
    const std::string of = type == DType::Int8 ? "-int32" : suffix;
    for (const auto& [name, a, b] : {std::tuple{"add-large", Dims{3, 7, 37}, Dims{3, 7, 37}},
                                     {"add-rows", Dims{3, 7, 37}, Dims{1, 1, 37}},
                                     {"add-columns", Dims{3, 7, 37}, Dims{3, 7, 1}},
                                     {"add-crossed", Dims{3, 1, 37}, Dims{1, 7, 1}}})
        cases.push_back(Recipe(name + of, target)
                            .input(pattern(added, a, 2))
                            .input(pattern(added, b, 5))
                            .output(Op::Add, computed(added, {3, 7, 37})));
    for (const std::int32_t axis : {0, 1})
        cases.push_back(Recipe("reduce-max-large-axis" + std::to_string(axis) + suffix, target)
                            .input(pattern(type, {521, 3}, 2))
                            .output(Op::ReduceMax,
                                    computed(type, axis == 0 ? Dims{1, 3} : Dims{521, 1}), kExact,
                                    attribute(Op::ReduceMax, {.axis = axis})));
    cases.push_back(Recipe(std::string("transpose-large") + suffix, target)
                        .input(pattern(type, {23, 37}, 2))
                        .output(Op::Transpose, computed(type, {37, 23}), kExact,
                                attribute(Op::Transpose, {.perms = Dims{1, 0}})));
}

// 257 numbers from -8 or, where there is a result of positive numbers only, from 1/16.
void add_sweeps(std::vector<Case>& cases, const Kind& kind) {
    const auto& [suffix, type, target] = kind;
    struct Sweep {
        const char* name;
        Op op;
        bool positive;
    };
    std::vector<double> numbers(257);
    // SIN and COS are as near, in FP16, as their argument is exact, and not as their result.
    const Tolerance tolerance =
        type == DType::Fp32 ? kTranscendental : Tolerance{.absolute = 1e-3, .ulp = 8};
    for (const auto& [name, op, positive] :
         {Sweep{"cos-sweep", Op::Cos, false}, Sweep{"sin-sweep", Op::Sin, false},
          Sweep{"exp-sweep", Op::Exp, false}, Sweep{"log-sweep", Op::Log, true},
          Sweep{"reciprocal-sweep", Op::Reciprocal, true}, Sweep{"rsqrt-sweep", Op::Rsqrt, true},
          Sweep{"sigmoid-sweep", Op::Sigmoid, false}, Sweep{"tanh-sweep", Op::Tanh, false},
          Sweep{"erf-sweep", Op::Erf, false}}) {
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = (static_cast<double>(i) + (positive ? 1 : -128)) / 16;
        cases.push_back(Recipe(std::string(name) + suffix, target)
                            .input(tensor(type, {257}, numbers))
                            .output(op, computed(type, {257}), tolerance));
    }
    cases.push_back(Recipe(std::string("ceil-sweep") + suffix, target)
                        .input(tensor(type, {257}, numbers))
                        .output(Op::Ceil, computed(type, {257})));
    cases.push_back(Recipe(std::string("floor-sweep") + suffix, target)
                        .input(tensor(type, {257}, numbers))
                        .output(Op::Floor, computed(type, {257})));
}

}  // namespace

void add_large_cases(std::vector<Case>& cases) {
    for (const Kind& kind : kKinds) {
        add_products(cases, kind);
        add_elements(cases, kind);
        if (tosa::is_float(kind.type)) add_sweeps(cases, kind);
    }
}

}  // namespace corpus
