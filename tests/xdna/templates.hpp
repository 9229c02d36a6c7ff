// SPDX-License-Identifier: MIT
//
// Graphs that match a template, of which tests spoil one thing at a time. Their inputs are
// called a and b, their output out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tosa/attributes.hpp"
#include "tosa/encoding.hpp"
#include "xdna/spec.hpp"

namespace xdna::test {

using tosa::DType;
using tosa::Op;
using tosa::test::attribute;
using tosa::test::bytes_of;
using tosa::test::Dims;
using tosa::test::Fields;
using tosa::test::GraphBuilder;

inline std::vector<std::byte> zeros(DType type, const Dims& dims = {1}) {
    return std::vector<std::byte>(tosa::constant_bytes(type, tosa::element_count(dims)));
}

inline GraphBuilder identity(DType type, Dims dims) {
    GraphBuilder graph;
    graph.input("a", dims, type).output("out", dims, type);
    return graph.op(Op::Identity, {"a"}, {"out"});
}

inline GraphBuilder cast(DType from, DType to, Dims dims) {
    GraphBuilder graph;
    graph.input("a", dims, from).output("out", dims, to);
    return graph.op(Op::Cast, {"a"}, {"out"});
}

// Types of a product: of its operands, of its result, and what they are cast to in between.
struct Product {
    DType a, b, out;
    DType wide_a = DType::Unknown, wide_b = DType::Unknown;  // Unknown: they are not cast
    std::int8_t a_zero = 0, b_zero = 0;                      // of INT8
    std::int32_t batch = 1;
};

inline constexpr Product kBf16Product{DType::Bf16, DType::Bf16, DType::Fp32};
inline constexpr Product kInt8Product{
    .a = DType::Int8, .b = DType::Int8, .out = DType::Int32, .a_zero = -2, .b_zero = 3};
inline constexpr Product kFp8Product{DType::Fp8E4M3, DType::Fp8E5M2, DType::Fp32, DType::Bf16,
                                     DType::Bf16};

inline GraphBuilder matmul(const Product& p, std::int32_t m, std::int32_t k, std::int32_t n) {
    GraphBuilder graph;
    const auto operand = [&](const std::string& name, Dims dims, DType type, DType wide,
                             std::int8_t zero) {
        graph.input(name, dims, type);
        std::string read = name;
        if (wide != DType::Unknown) {
            read += "_wide";
            graph.tensor(read, dims, wide).op(Op::Cast, {name}, {read});
            type = wide;
        }
        graph.constant(name + "_zero", {1},
                       type == DType::Int8 ? bytes_of<std::int8_t>({zero}) : zeros(type), type);
        return read;
    };
    const std::string a = operand("a", {p.batch, m, k}, p.a, p.wide_a, p.a_zero);
    const std::string b = operand("b", {p.batch, k, n}, p.b, p.wide_b, p.b_zero);
    graph.output("out", {p.batch, m, n}, p.out);
    return graph.op(Op::MatMul, {a, b, "a_zero", "b_zero"}, {"out"});
}

struct Rescale {
    DType in = DType::Int32, out = DType::Int8;
    Dims dims{16};
    std::vector<std::byte> multiplier = bytes_of<std::int32_t>({1 << 29});
    std::vector<std::byte> shift = bytes_of<std::int8_t>({30});
    std::vector<std::byte> out_zero = bytes_of<std::int8_t>({-3});
    Fields fields{};
};

inline GraphBuilder rescale(const Rescale& r = {}) {
    GraphBuilder graph;
    const auto length = static_cast<std::int32_t>(r.shift.size());
    graph.input("a", r.dims, r.in).output("out", r.dims, r.out);
    graph.constant("multiplier", {length}, r.multiplier,
                   r.fields.scale32 ? DType::Int32 : DType::Int16);
    graph.constant("shift", {length}, r.shift, DType::Int8);
    graph.constant("a_zero", {1}, zeros(r.in), r.in);
    graph.constant("out_zero", {1}, r.out == DType::Int8 ? r.out_zero : zeros(r.out), r.out);
    return graph.op(Op::Rescale, {"a", "multiplier", "shift", "a_zero", "out_zero"}, {"out"},
                    attribute(Op::Rescale, r.fields));
}

struct MaxPool {
    DType type = DType::Bf16;
    Dims in{1, 4, 4, 2}, out{1, 2, 2, 2};
    Dims kernel{2, 2}, stride{2, 2}, pad{0, 0, 0, 0};
    tosa::NanMode nan_mode = tosa::NanMode::Propagate;
};

inline GraphBuilder max_pool(const MaxPool& p = {}) {
    GraphBuilder graph;
    graph.input("a", p.in, p.type).output("out", p.out, p.type);
    return graph.op(
        Op::MaxPool2d, {"a"}, {"out"},
        attribute(Op::MaxPool2d,
                  {.nan_mode = p.nan_mode, .kernel = p.kernel, .stride = p.stride, .pad = p.pad}));
}

struct Templated {
    Spec spec;
    GraphBuilder graph;
};

// One of each template; where there are two inputs, they are alike but for their types.
inline std::vector<Templated> templates() {
    return {
        {Bf16Identity{2048}, identity(DType::Bf16, {2, 1024})},
        {Int8Identity{8}, identity(DType::Int8, {8})},
        {Fp8ToBf16{Fp8::E4M3, 1024}, cast(DType::Fp8E4M3, DType::Bf16, {4, 256})},
        {Bf16Matmul{{64, 64, 64}}, matmul(kBf16Product, 64, 64, 64)},
        {Fp8Matmul{Fp8::E4M3, Fp8::E5M2, {64, 64, 64}}, matmul(kFp8Product, 64, 64, 64)},
        {Int8Matmul{{3, 3, 3}, -2, 3}, matmul(kInt8Product, 3, 3, 3)},
        {Int32ToInt8Rescale{16, 1 << 29, 30, -3}, rescale()},
        {Bf16MaxPool2d{4, 4, 2, 2, 2, 2, 2}, max_pool()},
    };
}

}  // namespace xdna::test
