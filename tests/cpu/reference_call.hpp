// SPDX-License-Identifier: MIT
//
// One operator on its own, computed by its reference function: without a program, which
// would have to be valid, and without a provider.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cpu/reference/kernel.hpp"
#include "cpu/tensor.hpp"

namespace cpu::test {

using tosa::NanMode;
using Values = Reals;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Tensor vector(DType type, const Values& values) {
    return {type, {static_cast<std::int32_t>(values.size())}, values};
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
    const SerializedOperator serialized(op, attribute);
    std::vector<Tensor> operands = inputs;
    operands.emplace_back(type, dims);
    tosa::Graph graph;
    std::vector<std::byte*> slots;
    std::vector<Place> places;
    for (Tensor& operand : operands) {
        graph.operands.push_back(static_cast<tosa::ValueId>(graph.values.size()));
        graph.values.push_back({.type = operand.type,
                                .dims = operand.dims,
                                .elements = operand.size(),
                                .bytes = operand.data.size()});
        places.push_back({Place::Kind::Slot, slots.size()});
        slots.push_back(operand.data.data());
    }
    const auto ids = std::span<const tosa::ValueId>(graph.operands);
    const auto kernel = reference::make_kernel(graph, {.op = op,
                                                       .inputs = ids.first(inputs.size()),
                                                       .outputs = ids.last(1),
                                                       .serialized = &*serialized});
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
    REQUIRE(actual.size() == expected.size());
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
