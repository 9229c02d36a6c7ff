// SPDX-License-Identifier: MIT
//
// Integers of which every bit counts: shifts, logic, comparisons and casts.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

// Any bits, and the ends of the type's range.
Tensor bits(DType type, std::uint32_t start) {
    std::vector<std::uint32_t> encodings;
    for (std::uint32_t i = 0; i < 15; ++i)
        encodings.push_back((i + start) * 2654435761U >> 3);
    const std::uint32_t top = 1U << (tosa::buffer_bytes(type, 1) * 8 - 1);
    encodings[3] = top;
    encodings[6 + start % 2] = top - 1;
    return raw(type, {3, 5}, encodings);
}

struct Integer {
    const char* suffix;
    DType type;
    std::uint32_t width;
};
constexpr Integer kIntegers[] = {
    {"-int8", DType::Int8, 8}, {"-int16", DType::Int16, 16}, {"-int32", DType::Int32, 32}};

// As shifts have it: from none of the width to all but one, along a row.
Tensor amounts(const Integer& is) {
    return tensor(is.type, {1, 5}, {0, 1, 3, is.width / 2.0, is.width - 1.0});
}

void add_bits(std::vector<Case>& cases, const Integer& is) {
    const auto add = [&](const std::string& name, Op op, const Tensor& b, bool round = false) {
        cases.push_back(
            Recipe(name + is.suffix, kInteger)
                .input(bits(is.type, 1))
                .input(b)
                .output(op, computed(is.type, {3, 5}), kExact, attribute(op, {.round = round})));
    };
    add("arithmetic-right-shift", Op::ArithmeticRightShift, amounts(is));
    add("arithmetic-right-shift-rounded", Op::ArithmeticRightShift, amounts(is), true);
    add("logical-left-shift", Op::LogicalLeftShift, amounts(is));
    add("logical-right-shift", Op::LogicalRightShift, amounts(is));
    add("bitwise-and", Op::BitwiseAnd, bits(is.type, 2));
    add("bitwise-or", Op::BitwiseOr, bits(is.type, 2));
    add("bitwise-xor", Op::BitwiseXor, bits(is.type, 2));
    cases.push_back(Recipe(std::string("bitwise-not") + is.suffix, kInteger)
                        .input(bits(is.type, 1))
                        .output(Op::BitwiseNot, computed(is.type, {3, 5})));
    cases.push_back(Recipe(std::string("select-odd") + is.suffix, kInteger)
                        .input(tensor(DType::Bool, {3, 1}, {1, 0, 1}))
                        .input(bits(is.type, 1))
                        .input(amounts(is))
                        .output(Op::Select, computed(is.type, {3, 5})));
    // Where INT8 saturates; the others have no zero points.
    const bool points = is.type == DType::Int8;
    cases.push_back(Recipe(std::string("negate") + is.suffix, kInteger)
                        .input(points ? bits(is.type, 1) : pattern(is.type, {3, 5}, 2))
                        .constant(tensor(is.type, {1}, {points ? 5.0 : 0.0}))
                        .constant(tensor(is.type, {1}, {points ? -7.0 : 0.0}))
                        .output(Op::Negate, computed(is.type, {3, 5})));
}

void add_words(std::vector<Case>& cases) {
    const Tensor x = bits(DType::Int32, 1);
    Tensor y = bits(DType::Int32, 2);
    std::copy_n(x.data.begin(), 8, y.data.begin());  // two that are equal
    const auto add = [&](const char* name, Op op, DType out) {
        cases.push_back(Recipe(name, kInteger)
                            .input(x)
                            .input(y)
                            .output(op, computed(out, {3, 5}), kExact, attribute(op, {})));
    };
    add("maximum-int32", Op::Maximum, DType::Int32);
    add("minimum-int32", Op::Minimum, DType::Int32);
    add("equal-int32", Op::Equal, DType::Bool);
    add("greater-int32", Op::Greater, DType::Bool);
    add("greater-equal-int32", Op::GreaterEqual, DType::Bool);
    cases.push_back(Recipe("abs-int32", kInteger)
                        .input(pattern(DType::Int32, {3, 5}, 2))
                        .output(Op::Abs, computed(DType::Int32, {3, 5})));
    cases.push_back(Recipe("clz-int32", kInteger)
                        .input(tensor(DType::Int32, {7}, {0, 1, 2, 65535, 65536, 2147483647, -1}))
                        .output(Op::Clz, computed(DType::Int32, {7})));
    cases.push_back(Recipe("intdiv-int32", kInteger)
                        .input(tensor(DType::Int32, {4, 1}, {7, -7, 2147483647, -2147483648}))
                        .input(tensor(DType::Int32, {1, 5}, {2, -2, 3, -7, 1}))
                        .output(Op::IntDiv, computed(DType::Int32, {4, 5})));
}

void add_casts(std::vector<Case>& cases) {
    const auto add = [&](const std::string& name, const Tensor& x, DType to,
                         const tosa::Target& target) {
        cases.push_back(
            Recipe("cast-" + name, target).input(x).output(Op::Cast, computed(to, x.shape)));
    };
    for (const Integer& from : kIntegers) {
        const std::string name = std::string(from.suffix).substr(1);
        for (const Integer& to : kIntegers)
            if (from.type != to.type)
                add(name + "-to" + to.suffix, bits(from.type, 1), to.type, kInteger);
        add(name + "-to-bool", bits(from.type, 2), DType::Bool, kInteger);
        add(name + "-to-fp16", bits(from.type, 1), DType::Fp16, kFloat);
        add(name + "-to-fp32", bits(from.type, 1), DType::Fp32, kFloat);
        // Ties go to even; what is too large saturates.
        const std::initializer_list<double> numbers = {
            0,    .5,   1.5,  2.5, -.5,    -1.5,  -2.5,    .49, 126.5,     127.5,     -128.5,
            -129, 1000, -1e4, 4e4, -65504, 65504, 32767.5, -.0, 1.0 / 0.0, -1.0 / 0.0};
        const auto count = static_cast<std::int32_t>(numbers.size());
        add("fp32-to" + std::string(from.suffix), tensor(DType::Fp32, {count}, numbers), from.type,
            kFloat);
        add("fp16-to" + std::string(from.suffix), tensor(DType::Fp16, {count}, numbers), from.type,
            kFloat);
        add("bool-to" + std::string(from.suffix), tensor(DType::Bool, {5}, {1, 0, 0, 1, 1}),
            from.type, kInteger);
    }
}

}  // namespace

void add_bit_cases(std::vector<Case>& cases) {
    for (const Integer& is : kIntegers)
        add_bits(cases, is);
    add_words(cases);
    add_casts(cases);
}

}  // namespace corpus
