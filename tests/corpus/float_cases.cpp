// SPDX-License-Identifier: MIT
//
// providers.md 6.2 and 6.3: the same graphs in FP32 and in FP16.
#include <array>
#include <limits>

#include "corpus/recipe.hpp"

namespace corpus {
namespace {

using Values = std::vector<double>;
using Bits = std::vector<std::uint32_t>;

constexpr auto kPropagate = fbs::NanPropagationMode::PROPAGATE;

// What a case expects in FP32, and in FP16 as encodings.
struct Expected {
    Values fp32;
    Tolerance tolerance;
    Bits fp16;
    std::uint32_t fp16_ulp = 0;
};

std::string named(const std::string& operation, DType type) {
    return operation + (type == DType::Fp32 ? "-fp32" : "-fp16");
}

Tensor expected_in(DType type, const Dims& shape, const Expected& expected) {
    return type == DType::Fp32 ? tensor(type, shape, expected.fp32)
                               : raw(type, shape, expected.fp16);
}
Tolerance tolerance_in(DType type, const Expected& expected) {
    return type == DType::Fp32 ? expected.tolerance : ulp(expected.fp16_ulp);
}

struct Unary {
    const char* name;
    Op op;
    Expected expected;
};

// On 0.5, 1, 2, 4. There is no FP16 ERF.
const Unary kUnary[] = {
    {"abs", Op::Abs, {{.5, 1, 2, 4}, kExact, {0x3800, 0x3C00, 0x4000, 0x4400}}},
    {"ceil", Op::Ceil, {{1, 1, 2, 4}, kExact, {0x3C00, 0x3C00, 0x4000, 0x4400}}},
    {"floor", Op::Floor, {{0, 1, 2, 4}, kExact, {0x0000, 0x3C00, 0x4000, 0x4400}}},
    {"cos",
     Op::Cos,
     {{.87758255, .5403023, -.41614684, -.6536436},
      kTranscendental,
      {0x3B05, 0x3853, 0xB6A9, 0xB93B},
      8}},
    {"sin",
     Op::Sin,
     {{.47942555, .84147096, .9092974, -.7568025},
      kTranscendental,
      {0x37AC, 0x3ABB, 0x3B46, 0xBA0E},
      8}},
    {"exp",
     Op::Exp,
     {{1.6487212, 2.7182817, 7.389056, 54.59815},
      kTranscendental,
      {0x3E98, 0x4170, 0x4764, 0x52D3},
      4}},
    {"log",
     Op::Log,
     {{-0.69314718, 0, 0.69314718, 1.38629436},
      kTranscendental,
      {0xB98C, 0x0000, 0x398C, 0x3D8C},
      4}},
    {"reciprocal",
     Op::Reciprocal,
     {{2, 1, .5, .25}, kTranscendental, {0x4000, 0x3C00, 0x3800, 0x3400}, 2}},
    {"rsqrt",
     Op::Rsqrt,
     {{1.41421356, 1, 0.70710678, .5}, kTranscendental, {0x3DA8, 0x3C00, 0x39A8, 0x3800}, 4}},
    {"sigmoid",
     Op::Sigmoid,
     {{.62245935, .7310586, .8807971, .98201376},
      kTranscendental,
      {0x38FB, 0x39D9, 0x3B0C, 0x3BDB},
      4}},
    {"tanh",
     Op::Tanh,
     {{.46211716, .7615942, .9640276, .9993293},
      kTranscendental,
      {0x3765, 0x3A18, 0x3BB6, 0x3BFF},
      4}},
    {"erf", Op::Erf, {{.5204999, .8427008, .9953223, 1.0}, kTranscendental, {}}},
};

struct Binary {
    const char* name;
    Op op;
    Values result;
    Tolerance tolerance;
};

// [[2],[4]] with [[1,2,3]]. All results are halves, too.
const Binary kBinary[] = {
    {"add", Op::Add, {3, 4, 5, 5, 6, 7}, kExact},
    {"sub", Op::Sub, {1, 0, -1, 3, 2, 1}, kExact},
    {"mul", Op::Mul, {2, 4, 6, 4, 8, 12}, kExact},
    {"maximum", Op::Maximum, {2, 2, 3, 4, 4, 4}, kExact},
    {"minimum", Op::Minimum, {1, 2, 2, 1, 2, 3}, kExact},
    {"pow", Op::Pow, {2, 4, 8, 4, 16, 64}, kTranscendental},
};

void add_unary(std::vector<Case>& cases, DType type) {
    const Dims shape{4};
    const Tensor x = tensor(type, shape, {.5, 1, 2, 4});
    for (const Unary& each : kUnary) {
        if (type == DType::Fp16 && each.expected.fp16.empty()) continue;
        cases.push_back(Recipe(named(each.name, type), kFloat)
                            .input(x)
                            .output(each.op, expected_in(type, shape, each.expected),
                                    tolerance_in(type, each.expected)));
    }
    const Tensor zero = tensor(type, {1}, {0});
    cases.push_back(Recipe(named("negate", type), kFloat)
                        .input(x)
                        .constant(zero)
                        .constant(zero)
                        .output(Op::Negate, tensor(type, shape, {-.5, -1, -2, -4})));
    Recipe clamp(named("clamp", type), kFloat);
    clamp.input(x)
        .graph.output("output", shape, type)
        .clamp("input0", "output", tensor(type, {1}, {-1}).data, tensor(type, {1}, {1}).data);
    cases.push_back(clamp.finish({tensor(type, shape, {.5, 1, 1, 1})}, kExact));
}

Attribute binary_attribute(Op op) {
    if (op != Op::Maximum && op != Op::Minimum) return tosa::test::empty_attribute;
    return [op](flatbuffers::FlatBufferBuilder& to) {
        return op == Op::Maximum ? fbs::CreateMaximumAttribute(to, kPropagate).Union()
                                 : fbs::CreateMinimumAttribute(to, kPropagate).Union();
    };
}

void add_binary(std::vector<Case>& cases, DType type) {
    for (const Binary& each : kBinary) {
        Recipe recipe(named(each.name, type), kFloat);
        recipe.input(tensor(type, {2, 1}, {2, 4})).input(tensor(type, {1, 3}, {1, 2, 3}));
        if (each.op == Op::Mul) recipe.constant(tensor(DType::Int8, {1}, {0}));
        // FP16 POW is exact on these (6.3).
        cases.push_back(recipe.output(each.op, tensor(type, {2, 3}, each.result),
                                      type == DType::Fp32 ? each.tolerance : kExact,
                                      binary_attribute(each.op)));
    }
}

void add_comparisons(std::vector<Case>& cases, DType type) {
    const Tensor a = tensor(type, {4}, {1, 2, 3, 4});
    const Tensor b = tensor(type, {4}, {1, 3, 2, 4});
    const auto add = [&](const char* name, Op op, std::initializer_list<double> result) {
        cases.push_back(Recipe(named(name, type), kFloat)
                            .input(a)
                            .input(b)
                            .output(op, tensor(DType::Bool, {4}, result)));
    };
    add("equal", Op::Equal, {1, 0, 0, 1});
    add("greater", Op::Greater, {0, 0, 1, 0});
    add("greater-equal", Op::GreaterEqual, {1, 0, 1, 1});
    cases.push_back(Recipe(named("select", type), kFloat)
                        .input(tensor(DType::Bool, {4}, {0, 1, 0, 1}))
                        .input(tensor(type, {4}, {1, 2, 3, 4}))
                        .input(tensor(type, {4}, {5, 6, 7, 8}))
                        .output(Op::Select, tensor(type, {4}, {5, 2, 7, 4})));
}

void add_logical(std::vector<Case>& cases) {
    const Tensor a = tensor(DType::Bool, {4}, {0, 0, 1, 1});
    const Tensor b = tensor(DType::Bool, {4}, {0, 1, 0, 1});
    const auto add = [&](const char* name, Op op, std::initializer_list<double> result) {
        cases.push_back(
            Recipe(name, kFloat).input(a).input(b).output(op, tensor(DType::Bool, {4}, result)));
    };
    add("logical-and", Op::LogicalAnd, {0, 0, 0, 1});
    add("logical-or", Op::LogicalOr, {0, 1, 1, 1});
    add("logical-xor", Op::LogicalXor, {0, 1, 1, 0});
    cases.push_back(Recipe("logical-not", kFloat)
                        .input(a)
                        .output(Op::LogicalNot, tensor(DType::Bool, {4}, {1, 1, 0, 0})));
}

void add_reductions(std::vector<Case>& cases, DType type) {
    constexpr std::int32_t kAxis = 1;
    const Tensor x = tensor(type, {2, 3}, {1, 3, 2, -1, 4, 2});
    const auto add = [&](const char* name, Op op, const Tensor& result, Attribute attribute) {
        const bool rounded =
            type == DType::Fp16 && (op == Op::ReduceSum || op == Op::ReduceProduct);
        cases.push_back(Recipe(named(name, type), kFloat)
                            .input(x)
                            .output(op, result, rounded ? ulp(1) : kExact, std::move(attribute)));
    };
    add("argmax", Op::Argmax, tensor(DType::Int32, {2}, {1, 1}),
        [](auto& to) { return fbs::CreateArgmaxAttribute(to, kAxis, kPropagate).Union(); });
    add("reduce-max", Op::ReduceMax, tensor(type, {2, 1}, {3, 4}),
        [](auto& to) { return fbs::CreateReduceMaxAttribute(to, kAxis, kPropagate).Union(); });
    add("reduce-min", Op::ReduceMin, tensor(type, {2, 1}, {1, -1}),
        [](auto& to) { return fbs::CreateReduceMinAttribute(to, kAxis, kPropagate).Union(); });
    add("reduce-product", Op::ReduceProduct, tensor(type, {2, 1}, {6, -8}),
        [](auto& to) { return fbs::CreateReduceProductAttribute(to, kAxis).Union(); });
    add("reduce-sum", Op::ReduceSum, tensor(type, {2, 1}, {6, 5}),
        [](auto& to) { return fbs::CreateReduceSumAttribute(to, kAxis).Union(); });
}

void add_movement(std::vector<Case>& cases, DType type) {
    cases.push_back(Recipe(named("const-add", type), kFloat)
                        .constant(tensor(type, {4}, {10, 20, 30, 40}))
                        .input(tensor(type, {4}, {1, 2, 3, 4}))
                        .output(Op::Add, tensor(type, {4}, {11, 22, 33, 44})));
    cases.push_back(Recipe(named("reshape", type), kFloat)
                        .input(tensor(type, {2, 2}, {1, 2, 3, 4}))
                        .shape({1, 4})
                        .output(Op::Reshape, tensor(type, {1, 4}, {1, 2, 3, 4})));
    const Tensor six = tensor(type, {2, 3}, {1, 2, 3, 4, 5, 6});
    cases.push_back(
        Recipe(named("transpose", type), kFloat)
            .input(six)
            .output(Op::Transpose, tensor(type, {3, 2}, {1, 4, 2, 5, 3, 6}), kExact, [](auto& to) {
                const std::vector<std::int32_t> perms{1, 0};
                return fbs::CreateTransposeAttributeDirect(to, &perms).Union();
            }));
    cases.push_back(
        Recipe(named("reverse", type), kFloat)
            .input(six)
            .output(Op::Reverse, tensor(type, {2, 3}, {3, 2, 1, 6, 5, 4}), kExact,
                    [](auto& to) { return fbs::CreateReverseAttribute(to, 1).Union(); }));
    cases.push_back(
        Recipe(named("concat", type), kFloat)
            .input(tensor(type, {2, 1}, {1, 2}))
            .input(tensor(type, {2, 1}, {3, 4}))
            .output(Op::Concat, tensor(type, {2, 2}, {1, 3, 2, 4}), kExact,
                    [](auto& to) { return fbs::CreateConcatAttribute(to, 1).Union(); }));
}

void add_products(std::vector<Case>& cases, DType type) {
    const Tensor zero = tensor(type, {1}, {0});
    const Tolerance tolerance = type == DType::Fp32 ? kProducts : kExact;
    cases.push_back(
        Recipe(named("matmul", type), kFloat)
            .input(tensor(type, {1, 2, 3}, {1, 2, 3, 4, 5, 6}))
            .input(tensor(type, {1, 3, 2}, {7, 8, 9, 10, 11, 12}))
            .constant(zero)
            .constant(zero)
            .output(Op::MatMul, tensor(type, {1, 2, 2}, {58, 64, 139, 154}), tolerance));
    cases.push_back(Recipe(named("mock-linear-classifier", type), kFloat)
                        .input(tensor(type, {1, 2, 3}, {1, 2, 3, -1, .5, 2}))
                        .input(tensor(type, {1, 3, 2}, {1, 0, 0, 1, 1, -1}))
                        .constant(zero)
                        .constant(zero)
                        .output(Op::MatMul, tensor(type, {1, 2, 2}, {4, -1, 1, -1.5}), tolerance));
}

// tanh(x * w + bias)
void add_linear_tanh(std::vector<Case>& cases) {
    Recipe recipe("linear-tanh-fp32", kFloat);
    recipe.input(tensor(DType::Fp32, {1, 2, 3}, {1, 2, 3, -1, .5, 2}))
        .input(tensor(DType::Fp32, {1, 3, 2}, {1, 0, 0, 1, 1, -1}));
    recipe.graph.tensor("product", {1, 2, 2}).tensor("sum", {1, 2, 2});
    recipe.graph.matmul("input0", "input1", "product");
    recipe.graph.constant("bias", {1, 1, 2}, tensor(DType::Fp32, {2}, {.5, -.25}).data);
    recipe.graph.op(Op::Add, {"product", "bias"}, {"sum"});
    recipe.graph.output("output", {1, 2, 2}).op(Op::Tanh, {"sum"}, {"output"});
    cases.push_back(recipe.finish(
        {tensor(DType::Fp32, {1, 2, 2}, {.99975324, -.84828365, .90514827, -.94137555})},
        kTranscendental));
}

void add_edges(std::vector<Case>& cases) {
    const auto add = [&](const Tensor& x) {
        cases.push_back(
            Recipe(named("identity-edges", x.type), kFloat).input(x).output(Op::Identity, x));
    };
    add(raw(DType::Fp32, {8},
            {0x7FC00000, 0xFF800000, 0x80000000, 0, 1, 0x00800000, 0x3F800000, 0x7F800000}));
    add(raw(DType::Fp16, {8}, {0x7E00, 0xFC00, 0x8000, 0, 1, 0x0400, 0x3C00, 0x7C00}));
}

}  // namespace

void add_float_cases(std::vector<Case>& cases) {
    for (const DType type : {DType::Fp32, DType::Fp16}) {
        add_unary(cases, type);
        add_binary(cases, type);
        add_comparisons(cases, type);
        add_reductions(cases, type);
        add_movement(cases, type);
        add_products(cases, type);
    }
    add_logical(cases);
    add_linear_tanh(cases);
    add_edges(cases);
}

}  // namespace corpus
