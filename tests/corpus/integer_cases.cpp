// SPDX-License-Identifier: MIT
//
// What only integers have: tables, scales, zero points, and 32 bits that are all in use.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

constexpr tosa::Target kDoubleRound{.profiles = tosa::kProfileInteger,
                                    .extensions = tosa::kExtensionDoubleRound};

void add_elementwise(std::vector<Case>& cases) {
    const Tensor large = tensor(DType::Int32, {3, 1}, {2147480000, 7, -2147483000});
    const Tensor small = tensor(DType::Int32, {1, 5}, {-648, -1, 0, 1, 600});
    for (const Op op : {Op::Add, Op::Sub})
        cases.push_back(Recipe(op == Op::Add ? "add-int32" : "sub-int32", kInteger)
                            .input(large)
                            .input(small)
                            .output(op, computed(DType::Int32, {3, 5})));
    const auto add_mul = [&](const std::string& name, DType type, double shift) {
        cases.push_back(Recipe(name, kInteger)
                            .input(pattern(type, {3, 1}, 2))
                            .input(pattern(type, {1, 5}, 5))
                            .constant(tensor(DType::Int8, {1}, {shift}))
                            .output(Op::Mul, computed(DType::Int32, {3, 5})));
    };
    add_mul("mul-int8", DType::Int8, 0);
    add_mul("mul-int32", DType::Int32, 0);
    add_mul("mul-int32-shifted", DType::Int32, 10);

    cases.push_back(Recipe("table-int8", kInteger)
                        .input(pattern(DType::Int8, {257}, 3))
                        .constant(pattern(DType::Int8, {256}, 90))
                        .output(Op::Table, computed(DType::Int8, {257})));
    Recipe clamp("clamp-int8", kInteger);
    clamp.input(pattern(DType::Int8, {257}, 3))
        .graph.output("output", {257}, DType::Int8)
        .clamp("input0", "output", tensor(DType::Int8, {1}, {-20}).data,
               tensor(DType::Int8, {1}, {100}).data);
    cases.push_back(clamp.finish({computed(DType::Int8, {257})}, kExact));
}

void add_matmul(std::vector<Case>& cases) {
    cases.push_back(Recipe("matmul-odd-int8", kInteger)
                        .input(pattern(DType::Int8, {2, 5, 7}, 2))
                        .input(pattern(DType::Int8, {2, 7, 3}, 5))
                        .constant(tensor(DType::Int8, {1}, {-128}))
                        .constant(tensor(DType::Int8, {1}, {127}))
                        .output(Op::MatMul, computed(DType::Int32, {2, 5, 3})));
}

struct Rescale {
    const char* name;
    Tensor in;
    DType out;
    Tensor multiplier, shift;
    double in_zero, out_zero;
    tosa::test::Fields fields;
    tosa::Target target = kInteger;
};

void add_rescale(std::vector<Case>& cases, const Rescale& each) {
    cases.push_back(Recipe(each.name, each.target)
                        .input(each.in)
                        .constant(each.multiplier)
                        .constant(each.shift)
                        .constant(tensor(each.in.type, {1}, {each.in_zero}))
                        .constant(tensor(each.out, {1}, {each.out_zero}))
                        .output(Op::Rescale, computed(each.out, each.in.shape), kExact,
                                attribute(Op::Rescale, each.fields)));
}

void add_rescales(std::vector<Case>& cases) {
    const Tensor wide = pattern(DType::Int32, {3, 5}, 2);
    const Tensor narrow = pattern(DType::Int8, {3, 5}, 2);
    const Tensor multipliers =
        tensor(DType::Int32, {5}, {1073741824, 1500000001, 2147483647, 1234567890, 1999999999});
    const auto shift = [](std::initializer_list<double> values) {
        return tensor(DType::Int8, {static_cast<std::int32_t>(values.size())}, values);
    };
    const auto multiplier = [](double value) { return tensor(DType::Int32, {1}, {value}); };
    const Tensor near_zero =
        tensor(DType::Int32, {13}, {-300, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 300});
    for (const Rescale& each : {
             Rescale{"rescale-int32-to-int8-per-channel",
                     wide,
                     DType::Int8,
                     multipliers,
                     shift({38, 37, 39, 40, 36}),
                     0,
                     -3,
                     {.per_channel = true}},
             Rescale{"rescale-int8-to-int32",
                     narrow,
                     DType::Int32,
                     multiplier(1500000001),
                     shift({22}),
                     7,
                     0,
                     {}},
             Rescale{"rescale-int8-to-int32-per-channel",
                     narrow,
                     DType::Int32,
                     multipliers,
                     shift({22, 30, 31, 25, 40}),
                     7,
                     0,
                     {.per_channel = true}},
             Rescale{"rescale-int8-to-int8",
                     narrow,
                     DType::Int8,
                     multiplier(2147483647),
                     shift({32}),
                     7,
                     -100,
                     {}},
             Rescale{"rescale-int8-to-uint8",
                     narrow,
                     DType::Int8,
                     multiplier(1073741824),
                     shift({30}),
                     0,
                     -128,
                     {.output_unsigned = true}},
             Rescale{"rescale-int32-to-int16-scale16",
                     wide,
                     DType::Int16,
                     tensor(DType::Int16, {1}, {29999}),
                     shift({14}),
                     0,
                     0,
                     {.scale32 = false}},
             // Quarters, where the second rounding shows.
             Rescale{"rescale-int32-to-int8-single-round",
                     near_zero,
                     DType::Int8,
                     multiplier(1073741824),
                     shift({32}),
                     0,
                     0,
                     {}},
             Rescale{"rescale-int32-to-int8-double-round",
                     near_zero,
                     DType::Int8,
                     multiplier(1073741824),
                     shift({32}),
                     0,
                     0,
                     {.rounding_mode = 3},
                     kDoubleRound},
         })
        add_rescale(cases, each);
}

}  // namespace

void add_integer_cases(std::vector<Case>& cases) {
    add_elementwise(cases);
    add_matmul(cases);
    add_rescales(cases);
}

}  // namespace corpus
