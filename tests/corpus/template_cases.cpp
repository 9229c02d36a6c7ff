// SPDX-License-Identifier: MIT
//
// Graphs of the sizes that an array's kernels have (providers.md 2.5): of tiles, of lines, and
// with the zero points that are furthest apart.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

constexpr tosa::Target kBf16{.profiles = tosa::kProfileFloat, .extensions = tosa::kExtensionBf16};
constexpr tosa::Target kFp8ToBf16{
    .profiles = tosa::kProfileFloat,
    .extensions = tosa::kExtensionBf16 | tosa::kExtensionFp8E4M3 | tosa::kExtensionFp8E5M2};

// The integers of a period, less so many: their sums of products are exact in any order.
Tensor cycle(DType type, Dims shape, std::size_t period, double less = 0) {
    std::vector<double> values(tosa::element_count(shape));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i % period) - less;
    return tensor(type, std::move(shape), values);
}

// The low bits of an arithmetic series.
Tensor series(DType type, Dims shape, std::uint32_t step, std::uint32_t start) {
    std::vector<std::uint32_t> encodings(tosa::element_count(shape));
    for (std::uint32_t i = 0; i < encodings.size(); ++i)
        encodings[i] = step * i + start;
    return raw(type, std::move(shape), encodings);
}

void add_identity(std::vector<Case>& cases, const std::string& name, const tosa::Target& target,
                  const Tensor& x) {
    cases.push_back(Recipe(name, target).input(x).output(Op::Identity, computed(x.type, x.shape)));
}

struct Extents {
    std::int32_t m, k, n;
};

void add_bf16_matmul(std::vector<Case>& cases, const std::string& name, const Extents& of) {
    const Tensor zero = tensor(DType::Bf16, {1}, {0});
    cases.push_back(Recipe(name, kBf16)
                        .input(cycle(DType::Bf16, {1, of.m, of.k}, 7))
                        .input(cycle(DType::Bf16, {1, of.k, of.n}, 5))
                        .constant(zero)
                        .constant(zero)
                        .output(Op::MatMul, computed(DType::Fp32, {1, of.m, of.n})));
}

// Both widened before they are multiplied, which a provider may do in one kernel.
void add_fp8_matmul(std::vector<Case>& cases, const std::string& name, DType a, DType b,
                    const Extents& of) {
    const Tensor zero = tensor(DType::Bf16, {1}, {0});
    Recipe recipe(name, kFp8ToBf16);
    recipe.input(cycle(a, {1, of.m, of.k}, 7, 3)).input(cycle(b, {1, of.k, of.n}, 5, 2));
    recipe.constant(zero).constant(zero);
    recipe.graph.tensor("wide0", {1, of.m, of.k}, DType::Bf16)
        .tensor("wide1", {1, of.k, of.n}, DType::Bf16)
        .op(Op::Cast, {"input0"}, {"wide0"})
        .op(Op::Cast, {"input1"}, {"wide1"})
        .output("output", {1, of.m, of.n}, DType::Fp32)
        .op(Op::MatMul, {"wide0", "wide1", "constant2", "constant3"}, {"output"});
    cases.push_back(recipe.finish({computed(DType::Fp32, {1, of.m, of.n})}, kExact));
}

void add_int8_matmul(std::vector<Case>& cases, const std::string& name, const Extents& of,
                     double a_zero, double b_zero) {
    cases.push_back(Recipe(name, kInteger)
                        .input(series(DType::Int8, {1, of.m, of.k}, 37, 11))
                        .input(series(DType::Int8, {1, of.k, of.n}, 53, 197))
                        .constant(tensor(DType::Int8, {1}, {a_zero}))
                        .constant(tensor(DType::Int8, {1}, {b_zero}))
                        .output(Op::MatMul, computed(DType::Int32, {1, of.m, of.n})));
}

// A NaN with a payload, in one window of four.
void add_max_pool(std::vector<Case>& cases) {
    Tensor x = cycle(DType::Bf16, {1, 4, 4, 2}, 32);
    const Tensor nan = raw(DType::Bf16, {1}, {0x7FC1});
    std::ranges::copy(nan.data, x.data.begin());
    cases.push_back(Recipe("max-pool2d-nan-bf16", kBf16)
                        .input(x)
                        .output(Op::MaxPool2d, computed(DType::Bf16, {1, 2, 2, 2}), kExact,
                                attribute(Op::MaxPool2d, {.kernel = Dims{2, 2},
                                                          .stride = Dims{2, 2},
                                                          .pad = Dims{0, 0, 0, 0}})));
}

}  // namespace

void add_template_cases(std::vector<Case>& cases) {
    add_identity(cases, "identity-line-bf16", kBf16, series(DType::Bf16, {1024}, 63, 0));
    add_identity(cases, "identity-line-int8", kInteger, series(DType::Int8, {1024}, 37, 11));
    add_identity(cases, "identity-lines-int8", kInteger, series(DType::Int8, {2, 1024}, 53, 197));
    add_bf16_matmul(cases, "matmul-tiles-bf16", {64, 128, 96});
    add_bf16_matmul(cases, "matmul-square-bf16", {64, 64, 64});
    add_fp8_matmul(cases, "matmul-in-bf16-fp8e4m3", DType::Fp8E4M3, DType::Fp8E4M3, {64, 128, 96});
    add_fp8_matmul(cases, "matmul-in-bf16-fp8e5m2", DType::Fp8E5M2, DType::Fp8E5M2, {32, 64, 32});
    add_fp8_matmul(cases, "matmul-in-bf16-fp8-mixed", DType::Fp8E4M3, DType::Fp8E5M2, {32, 64, 32});
    add_int8_matmul(cases, "matmul-least-greatest-int8", {16, 16, 16}, -128, 127);
    add_int8_matmul(cases, "matmul-greatest-least-int8", {32, 24, 16}, 127, -128);
    add_int8_matmul(cases, "matmul-tiles-int8", {64, 64, 32}, 0, -1);
    add_max_pool(cases);
}

}  // namespace corpus
