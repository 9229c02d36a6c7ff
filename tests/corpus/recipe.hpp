// SPDX-License-Identifier: MIT
//
// How the corpus's cases are made: small graphs of one operator, with numbers as the
// reader of providers.md finds them there.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "corpus/case.hpp"
#include "tosa/attributes.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace corpus {

using tosa::DType;
using tosa::Op;
namespace fbs = tosa::fbs;
using tosa::test::Attribute;
using tosa::test::attribute;
using tosa::test::Dims;
using tosa::test::GraphBuilder;

inline constexpr tosa::Target kFloat = tosa::kFloatTarget;
inline constexpr tosa::Target kInteger{.profiles = tosa::kProfileInteger};

inline constexpr Tolerance kExact{};
inline constexpr Tolerance kTranscendental{.absolute = 1e-6, .relative = 4e-6};
inline constexpr Tolerance kProducts{.absolute = 1e-5, .relative = 1e-5};
constexpr Tolerance ulp(std::uint32_t limit) {
    return {.ulp = limit};
}

// Each value is rounded to the type.
inline Tensor tensor(DType type, Dims shape, std::span<const double> values) {
    Tensor made{type, std::move(shape), {}};
    const bool nibbles = type == DType::Int4;
    made.data.resize(nibbles ? (values.size() + 1) / 2
                             : values.size() * (type == DType::Int48 ? 6 : 8));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (tosa::is_float(type))
            tosa::write_float(type, made.data.data(), i, values[i]);
        else
            tosa::write_integer(type, made.data.data(), i, static_cast<std::int64_t>(values[i]));
    made.data.resize(tosa::buffer_bytes(type, values.size()));
    return made;
}
inline Tensor tensor(DType type, Dims shape, std::initializer_list<double> values) {
    return tensor(type, std::move(shape), std::span(values.begin(), values.size()));
}

// The same of encodings.
inline Tensor raw(DType type, Dims shape, std::span<const std::uint32_t> encodings) {
    Tensor made{type, std::move(shape), {}};
    const std::size_t width = tosa::buffer_bytes(type, 1);
    for (const std::uint32_t bits : encodings)
        for (std::size_t byte = 0; byte < width; ++byte)
            made.data.push_back(static_cast<std::byte>(bits >> (8 * byte)));
    return made;
}
inline Tensor raw(DType type, Dims shape, std::initializer_list<std::uint32_t> encodings) {
    return raw(type, std::move(shape), std::span(encodings.begin(), encodings.size()));
}

// What oracle/ computes, which is no code of ours in C++.
inline Tensor computed(DType type, Dims shape) {
    return {type, std::move(shape), {}};
}

// Numbers that are unlike their neighbours: of integers the whole range, as far as products
// fit into 32 bits; of floats multiples of a half, whose sums of products are exact even in
// FP16 and in any order.
inline Tensor pattern(DType type, Dims shape, int start) {
    struct Range {
        int step, count;
        double unit;
    };
    const auto& [step, count, unit] = type == DType::Int8    ? Range{37, 256, 1}
                                      : tosa::is_float(type) ? Range{7, 11, .5}
                                                             : Range{7919, 60001, 1};
    std::vector<double> values(tosa::element_count(shape));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = ((static_cast<int>(i) * step + start) % count - count / 2) * unit;
    return tensor(type, std::move(shape), values);
}

// The types that an operator's cases are written in.
struct Kind {
    const char* suffix;
    DType type;
    tosa::Target target;
};
inline constexpr Kind kKinds[] = {{"-fp32", DType::Fp32, kFloat},
                                  {"-fp16", DType::Fp16, kFloat},
                                  {"-int8", DType::Int8, kInteger}};

// One operator from a block's inputs to its outputs.
class Recipe {
 public:
    Recipe(std::string name, const tosa::Target& target) {
        made_.name = std::move(name);
        made_.target = target;
    }

    Recipe& input(const Tensor& tensor) {
        operands_.push_back("input" + std::to_string(made_.inputs.size()));
        graph.input(operands_.back(), tensor.shape, tensor.type);
        made_.inputs.push_back(tensor);
        return *this;
    }
    // An operand that is part of the program.
    Recipe& constant(const Tensor& tensor) {
        operands_.push_back("constant" + std::to_string(operands_.size()));
        graph.constant(operands_.back(), tensor.shape, tensor.data, tensor.type);
        return *this;
    }
    Recipe& shape(std::initializer_list<std::int64_t> values) {
        operands_.push_back("shape" + std::to_string(operands_.size()));
        graph.shape(operands_.back(), values);
        return *this;
    }
    Case output(Op op, const Tensor& expected, Tolerance tolerance = kExact,
                Attribute attribute = tosa::test::empty_attribute) {
        return outputs(op, {expected}, tolerance, std::move(attribute));
    }
    Case outputs(Op op, const std::vector<Tensor>& expected, Tolerance tolerance,
                 Attribute attribute) {
        tosa::test::Names names;
        for (const Tensor& each : expected) {
            names.push_back("output" + (names.empty() ? "" : std::to_string(names.size())));
            graph.output(names.back(), each.shape, each.type);
        }
        graph.op(op, operands_, std::move(names), std::move(attribute));
        return finish(expected, tolerance);
    }
    // Of a graph that the caller has completed.
    Case finish(const std::vector<Tensor>& expected, Tolerance tolerance) {
        made_.outputs = expected;
        made_.tolerance = tolerance;
        made_.program = graph.file();
        return std::move(made_);
    }

    GraphBuilder graph;

 private:
    Case made_;
    tosa::test::Names operands_;
};

// The families, each of a file of its own.
void add_float_cases(std::vector<Case>& cases);    // 6.2 and 6.3
void add_storage_cases(std::vector<Case>& cases);  // 6.4
// What 6 does not have: expected is what oracle/ computes.
void add_window_cases(std::vector<Case>& cases);
void add_movement_cases(std::vector<Case>& cases);
void add_integer_cases(std::vector<Case>& cases);
void add_bit_cases(std::vector<Case>& cases);
void add_reduction_cases(std::vector<Case>& cases);
void add_cast_cases(std::vector<Case>& cases);
void add_nan_cases(std::vector<Case>& cases);
void add_large_cases(std::vector<Case>& cases);
void add_graph_cases(std::vector<Case>& cases);
void add_template_cases(std::vector<Case>& cases);

}  // namespace corpus
