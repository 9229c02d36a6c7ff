// SPDX-License-Identifier: MIT
//
// Products, and how they are held against the CPU provider's reference engine: floats within
// the bound of providers.md 3.12, integers bit for bit; the same bits every time.
#pragma once

#include <cmath>
#include <random>

#include "cpu/rig.hpp"
#include "cpu/tensor.hpp"
#include "tosa/attributes.hpp"
#include "vulkan/grid_rig.hpp"

namespace vulkan::test {

using cpu::test::Tensor;
using tosa::DType;
using tosa::Op;
using tosa::test::Dims;

using Operands = std::vector<Tensor>;

inline Tensor random_tensor(DType type, const Dims& dims, unsigned seed) {
    std::minstd_rand bits(seed);
    Tensor made(type, dims);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const int value = static_cast<int>(bits() / 7 % 256U) - 128;
        if (tosa::is_float(type))
            tosa::write_float(type, made.data.data(), i, value / 64.0);
        else
            tosa::write_integer(type, made.data.data(), i, value);
    }
    return made;
}

// What a graph computes, and from what.
struct Subject {
    GraphBuilder graph;
    Operands inputs;
    Tensor output;  // its type and shape
    int depth = 0;  // products in a sum
};

inline std::vector<Bytes> contents(const Operands& tensors) {
    std::vector<Bytes> made;
    for (const Tensor& tensor : tensors)
        made.push_back(tensor.data);
    return made;
}

inline Tensor expected(const Subject& subject, const Operands& inputs) {
    static const cpu::test::Rig rig({.engine = cpu::Engine::Reference});
    auto program = rig.try_load(subject.graph.file(), cpu::test::kNoCeiling, tosa::kEveryTarget);
    REQUIRE(program);
    Tensor made = subject.output;
    made.data = rig.run(std::move(*program), contents(inputs), {made.data.size()})[0];
    return made;
}

inline Operands magnitudes(Operands tensors) {
    for (Tensor& tensor : tensors)
        for (std::size_t i = 0; i < tensor.size(); ++i)
            tosa::write_float(tensor.type, tensor.data.data(), i, std::abs(tensor[i]));
    return tensors;
}

// Half a unit in the last place of a value of up to that magnitude, for a last rounding.
inline double rounding(DType type, double magnitude) {
    return type == DType::Fp16 ? std::ldexp(std::max(magnitude, 0x1p-14), -11) : 0;
}

// Integers must be the same, floats within the bound of their sum, and `slack` more.
inline void check(GridRig& rig, const Subject& subject, double slack = 0) {
    Tensor made = subject.output;
    const auto runs = rig.run(subject.graph, contents(subject.inputs), made.data.size(), 3);
    made.data = runs[0];
    CHECK(runs[1] == made.data);
    CHECK(runs[2] == made.data);
    const Tensor wanted = expected(subject, subject.inputs);
    if (!tosa::is_float(made.type)) {
        CHECK(made.data == wanted.data);
        return;
    }
    const Tensor magnitude = expected(subject, magnitudes(subject.inputs));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const double bound = (subject.depth + 64) * 0x1p-23 * magnitude[i] + slack +
                             2 * rounding(made.type, std::abs(wanted[i]));
        wrong += !(std::abs(made[i] - wanted[i]) <= bound);
    }
    CHECK(wrong == 0);
}

struct Zeros {
    std::int8_t lhs = 0, rhs = 0;
};

inline GraphBuilder& add_zero(GraphBuilder& graph, const std::string& name, DType type, int value) {
    return graph.constant(name, {1}, Tensor(type, {1}, {static_cast<double>(value)}).data, type);
}

inline DType sum_type(DType type) {
    if (type == DType::Int8) return DType::Int32;
    return type == DType::Fp8E4M3 || type == DType::Fp8E5M2 ? DType::Fp16 : type;
}

// The acc_type that goes with operands of that type.
inline DType accumulator(DType type) {
    return type == DType::Fp16 ? DType::Fp32 : sum_type(type);
}

inline Subject matmul(DType type, DType result, std::int32_t batch, std::int32_t m, std::int32_t k,
                      std::int32_t n, Zeros zeros = {}) {
    Subject made{.output = Tensor(result, {batch, m, n}), .depth = k};
    made.inputs = {random_tensor(type, {batch, m, k}, 3), random_tensor(type, {batch, k, n}, 4)};
    made.graph.input("a", {batch, m, k}, type).input("b", {batch, k, n}, type);
    made.graph.output("c", {batch, m, n}, result);
    add_zero(made.graph, "za", type, zeros.lhs);
    add_zero(made.graph, "zb", type, zeros.rhs);
    made.graph.op(Op::MatMul, {"a", "b", "za", "zb"}, {"c"});
    return made;
}

// Of every kind of word and edge there is in the kernels.
inline void check_matmuls(GridRig& rig, DType type, DType result, Zeros zeros = {}) {
    CAPTURE(static_cast<int>(type));
    CAPTURE(static_cast<int>(result));
    const std::int32_t shapes[][4] = {{1, 1, 1, 1},     {1, 64, 16, 64},  {1, 65, 17, 63},
                                      {3, 9, 33, 70},   {2, 130, 3, 129}, {1, 33, 68, 36},
                                      {1, 70, 130, 66}, {1, 1, 300, 10},  {2, 3, 64, 68},
                                      {1, 8, 35, 301},  {1, 5, 7, 258}};
    for (const auto& [batch, m, k, n] : shapes) {
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        check(rig, matmul(type, result, batch, m, k, n, zeros));
    }
}

inline void check_byte_matmuls(GridRig& rig) {
    for (const Zeros zeros : {Zeros{0, 0}, Zeros{-128, 0}, Zeros{0, 127}, Zeros{5, -77}})
        check_matmuls(rig, DType::Int8, DType::Int32, zeros);
}

// Of long sums for few outputs, which are cut into slices.
inline void check_slices(GridRig& rig, DType type, DType result, Zeros zeros = {}) {
    CAPTURE(static_cast<int>(type));
    CAPTURE(static_cast<int>(result));
    const std::int32_t shapes[][4] = {
        {1, 9, 2048, 5}, {1, 33, 2049, 36}, {2, 20, 4099, 7}, {1, 65, 2111, 66}, {1, 9, 9000, 2}};
    for (const auto& [batch, m, k, n] : shapes) {
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        const Subject subject = matmul(type, result, batch, m, k, n, zeros);
        check(rig, subject);
        CHECK(rig.dispatches(subject.graph) == 2);
    }
}

struct Convolution {
    DType type = DType::Fp32;
    Dims input{};   // N, H, W, IC
    Dims weight{};  // OC, KH, KW, IC
    Dims stride{1, 1}, dilation{1, 1}, pad{0, 0, 0, 0};
    bool one_bias = false;
    Zeros zeros{};
};

inline std::int32_t out_extent(const Convolution& of, std::size_t axis) {
    const std::size_t i = axis - 1;
    return (of.input[axis] - 1 + of.pad[2 * i] + of.pad[2 * i + 1] -
            (of.weight[axis] - 1) * of.dilation[i]) /
               of.stride[i] +
           1;
}

// To the tensor "c", which the graph does not declare.
inline Subject conv2d(const Convolution& of) {
    const DType sum = sum_type(of.type);
    const Dims bias{of.one_bias ? 1 : of.weight[0]};
    Subject made{
        .output = Tensor(sum, {of.input[0], out_extent(of, 1), out_extent(of, 2), of.weight[0]}),
        .depth = of.weight[1] * of.weight[2] * of.weight[3]};
    made.inputs = {random_tensor(of.type, of.input, 5), random_tensor(of.type, of.weight, 6),
                   random_tensor(sum, bias, 7)};
    made.graph.input("x", of.input, of.type).input("w", of.weight, of.type).input("b", bias, sum);
    add_zero(made.graph, "zx", of.type, of.zeros.lhs);
    add_zero(made.graph, "zw", of.type, of.zeros.rhs);
    made.graph.op(Op::Conv2d, {"x", "w", "b", "zx", "zw"}, {"c"},
                  tosa::test::attribute(Op::Conv2d, {.stride = of.stride,
                                                     .pad = of.pad,
                                                     .dilation = of.dilation,
                                                     .acc_type = accumulator(of.type)}));
    return made;
}

inline void check_conv2d(GridRig& rig, const Convolution& of) {
    Subject subject = conv2d(of);
    subject.graph.output("c", subject.output.dims, subject.output.type);
    check(rig, subject);
}

inline void check_convolutions(GridRig& rig, DType type, Zeros zeros = {}) {
    CAPTURE(static_cast<int>(type));
    const Convolution shapes[] = {
        {.input = {1, 5, 5, 3}, .weight = {4, 3, 3, 3}},
        {.input = {2, 8, 9, 4}, .weight = {6, 3, 3, 4}, .pad = {1, 1, 1, 1}},
        {.input = {1, 11, 13, 8}, .weight = {5, 5, 3, 8}, .stride = {2, 3}, .pad = {2, 2, 1, 1}},
        {.input = {1, 12, 10, 6}, .weight = {8, 3, 2, 6}, .dilation = {2, 3}, .pad = {1, 2, 0, 1}},
        {.input = {2, 7, 5, 16}, .weight = {68, 1, 1, 16}, .one_bias = true},
        {.input = {1, 9, 9, 5}, .weight = {3, 1, 1, 5}, .stride = {2, 2}},
        {.input = {1, 6, 6, 1}, .weight = {1, 6, 6, 1}},
        {.input = {5, 1, 1, 44}, .weight = {18, 1, 1, 44}},  // rows few enough for a stream
        {.input = {1, 1, 1, 301}, .weight = {12, 1, 1, 301}},
        {.input = {1, 10, 10, 20}, .weight = {70, 3, 3, 20}, .pad = {1, 1, 1, 1}},
    };
    for (Convolution of : shapes) {
        CAPTURE(of.input);
        of.type = type;
        of.zeros = zeros;
        check_conv2d(rig, of);
    }
}

// Bias, RESCALE of each channel, CLAMP, INT8.
inline Subject quantized_conv2d(const Convolution& of) {
    Subject made = conv2d(of);
    const Dims dims = made.output.dims;
    const std::int32_t channels = dims[3];
    Tensor multiplier(DType::Int32, {channels}), shift(DType::Int8, {channels});
    for (std::int32_t c = 0; c < channels; ++c) {
        const auto at = static_cast<std::size_t>(c);
        tosa::write_integer(DType::Int32, multiplier.data.data(), at, (1 << 30) + c * 9999991);
        tosa::write_integer(DType::Int8, shift.data.data(), at, 38 + c % 3);
    }
    GraphBuilder& graph = made.graph;
    graph.tensor("c", dims, DType::Int32).tensor("r", dims, DType::Int8);
    graph.constant("mul", multiplier.dims, multiplier.data, DType::Int32);
    graph.constant("shift", shift.dims, shift.data, DType::Int8);
    add_zero(graph, "zc", DType::Int32, 0);
    add_zero(graph, "zr", DType::Int8, -3);
    graph.op(Op::Rescale, {"c", "mul", "shift", "zc", "zr"}, {"r"},
             tosa::test::attribute(Op::Rescale, {.per_channel = true}));
    graph.output("y", dims, DType::Int8);
    graph.clamp("r", "y", {std::byte{0x9C}}, {std::byte{90}});
    made.output = Tensor(DType::Int8, dims);
    return made;
}

}  // namespace vulkan::test
