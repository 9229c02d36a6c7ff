// SPDX-License-Identifier: MIT
//
// One operator on its own, computed by its reference function: without a program, which
// would have to be valid, and without a provider.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "cpu/reference/kernel.hpp"
#include "tosa/encoding.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/number.hpp"

namespace cpu::test {

using tosa::DType;
using tosa::NanMode;
using tosa::Op;
using tosa::test::Attribute;
using tosa::test::Dims;
using tosa::test::empty_attribute;
using Values = std::vector<double>;  // holds every element of up to 48 bits

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Tensor {
    DType type = DType::Unknown;
    Dims dims{};
    std::vector<std::byte> data{};

    [[nodiscard]] std::uint64_t elements() const { return tosa::element_count(dims); }

    [[nodiscard]] double operator[](std::uint64_t i) const {
        return tosa::is_float(type) ? tosa::read_float(type, data.data(), i)
                                    : static_cast<double>(tosa::read_integer(type, data.data(), i));
    }
    [[nodiscard]] std::uint32_t bits(std::uint64_t i) const {
        return tosa::encode_float(type, (*this)[i]);
    }
};

inline Tensor blank(DType type, Dims dims) {
    Tensor made{type, std::move(dims), {}};
    made.data.resize(tosa::buffer_bytes(type, made.elements()));
    return made;
}

inline Tensor tensor(DType type, Dims dims, const Values& values) {
    Tensor made = blank(type, std::move(dims));
    REQUIRE(made.elements() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (tosa::is_float(type))
            tosa::write_float(type, made.data.data(), i, values[i]);
        else
            tosa::write_integer(type, made.data.data(), i, static_cast<std::int64_t>(values[i]));
    }
    return made;
}

inline Tensor vector(DType type, const Values& values) {
    return tensor(type, {static_cast<std::int32_t>(values.size())}, values);
}

// The numbers first, first + step, ... as one vector.
inline Values sequence(double first, std::size_t count, double step = 1) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = first + step * static_cast<double>(i);
    return values;
}

// Every element that a floating-point type of up to 16 bits has, in the order of its bits.
inline Values every(DType type) {
    Values values(std::size_t{1} << tosa::float_format(type).bits());
    for (std::uint32_t bits = 0; bits < values.size(); ++bits)
        values[bits] = tosa::decode_float(type, bits);
    return values;
}

inline Tensor call(Op op, const std::vector<Tensor>& inputs, DType type, const Dims& dims,
                   const Attribute& attribute = empty_attribute) {
    flatbuffers::FlatBufferBuilder builder;
    const auto number = static_cast<std::uint32_t>(op);
    const auto table = attribute(builder);
    builder.Finish(tosa::fbs::CreateTosaOperator(builder, static_cast<tosa::fbs::Op>(number),
                                                 static_cast<tosa::fbs::Attribute>(number), table));

    std::vector<Tensor> operands = inputs;
    operands.push_back(blank(type, dims));
    tosa::Graph graph;
    std::vector<std::byte*> slots;
    std::vector<Place> places;
    for (Tensor& operand : operands) {
        graph.operands.push_back(static_cast<tosa::ValueId>(graph.values.size()));
        graph.values.push_back({.type = operand.type,
                                .dims = operand.dims,
                                .elements = operand.elements(),
                                .bytes = operand.data.size()});
        places.push_back({Place::Kind::Slot, slots.size()});
        slots.push_back(operand.data.data());
    }
    const auto ids = std::span<const tosa::ValueId>(graph.operands);
    const auto kernel = reference::make_kernel(
        graph,
        {.op = op,
         .inputs = ids.first(inputs.size()),
         .outputs = ids.last(1),
         .serialized = flatbuffers::GetRoot<tosa::fbs::TosaOperator>(builder.GetBufferPointer())});
    REQUIRE(kernel != nullptr);
    // In two pieces, the later one first: elements do not depend on each other.
    const Frame frame{slots};
    const auto all = std::span<const Place>(places);
    const Operands bound{frame, all.first(inputs.size()), all.last(1)};
    const std::uint64_t half = kernel->units() / 2;
    kernel->run(bound, half, kernel->units());
    kernel->run(bound, 0, half);
    return operands.back();
}

// Of one input, to a tensor of the same shape.
inline Tensor map(Op op, const Tensor& in, const Attribute& attribute = empty_attribute) {
    return call(op, {in}, in.type, in.dims, attribute);
}

// NaN is any NaN; zeros have their sign.
inline bool same(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
}

inline void check_same(const Tensor& actual, const Values& expected) {
    REQUIRE(actual.elements() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!same(actual[i], expected[i]))
            FAIL_CHECK("element " << i << " is " << actual[i] << " instead of " << expected[i]);
    }
}

// MAXIMUM and MINIMUM.
inline Attribute nan_attribute(NanMode mode) {
    return [mode](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateMaximumAttribute(builder,
                                                 static_cast<tosa::fbs::NanPropagationMode>(mode))
            .Union();
    };
}

// Of all reductions and ARGMAX: they have the axis as their first field, and what NaN mode
// there is as their second.
inline Attribute axis_attribute(std::int32_t axis, NanMode mode = NanMode::Propagate) {
    return [axis, mode](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateReduceMaxAttribute(builder, axis,
                                                   static_cast<tosa::fbs::NanPropagationMode>(mode))
            .Union();
    };
}

inline Attribute clamp_attribute(DType type, double low, double high,
                                 NanMode mode = NanMode::Propagate) {
    return [type, low, high, mode](flatbuffers::FlatBufferBuilder& builder) {
        const auto bytes = [&](double bound) {
            const Tensor encoded = vector(type, {bound});
            return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(encoded.data.data()),
                                        encoded.data.size());
        };
        const auto min = bytes(low);
        const auto max = bytes(high);
        return tosa::fbs::CreateClampAttribute(builder, min, max,
                                               static_cast<tosa::fbs::NanPropagationMode>(mode))
            .Union();
    };
}

}  // namespace cpu::test
