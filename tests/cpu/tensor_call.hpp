// SPDX-License-Identifier: MIT
//
// Calls reference functions without a graph around them.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "cpu/reference/rows.hpp"
#include "cpu/tensor.hpp"

namespace cpu::test {

inline Tensor shape(const Reals& values) {
    return {DType::Shape, {static_cast<std::int32_t>(values.size())}, values};
}

// Of one element: a zero point, a pad constant, a bias that is broadcast.
inline Tensor one(DType type, double value = 0) {
    return {type, {1}, Reals{value}};
}

// Whole numbers in [-limit, limit], which every floating-point sum here holds exactly.
inline Tensor random_tensor(DType type, Dims dims, int limit, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<int> uniform(-limit, limit);
    Tensor tensor(type, std::move(dims));
    Reals values(tensor.size());
    std::ranges::generate(values, [&] { return uniform(generator); });
    return {type, tensor.dims, values};
}

inline const reference::Row& find_row(Op op) {
    for (const auto rows :
         {reference::convolution_rows(), reference::fourier_rows(), reference::gather_rows(),
          reference::layout_rows(), reference::matmul_rows(), reference::pooling_rows(),
          reference::resize_rows()})
        for (const reference::Row& row : rows)
            if (row.op == op) return row;
    FAIL("no reference function");
    std::unreachable();
}

inline reference::Type type_of(const Tensor& tensor) {
    if (tensor.type == DType::Shape) return {.type = DType::Shape, .elements = tensor.size()};
    return {.type = tensor.type, .dims = tensor.dims, .elements = tensor.size()};
}

// Computes every output in three slices, the last first, and sees that nothing else is
// written. `outputs` give types and extents.
inline std::vector<Tensor> call(Op op, const Attribute& attribute, const std::vector<Tensor>& in,
                                std::vector<Tensor> outputs) {
    constexpr std::byte kGuard{0xA5};
    constexpr std::size_t kGuardBytes = 16;
    const SerializedOperator serialized(op, attribute);

    std::vector<reference::Type> types;
    types.reserve(in.size() + outputs.size());
    std::vector<reference::Input> sources;
    for (const Tensor& tensor : in)
        sources.push_back({types.emplace_back(type_of(tensor)), tensor.data.data()});
    std::vector<reference::Output> targets;
    for (Tensor& tensor : outputs) {
        tensor.data.resize(tensor.data.size() + kGuardBytes);
        std::ranges::fill(tensor.data, kGuard);
        targets.push_back({types.emplace_back(type_of(tensor)), tensor.data.data()});
    }

    const reference::Call arguments{*serialized, sources, targets};
    const reference::Row& row = find_row(op);
    CHECK(row.cost(arguments) > 0);
    const std::uint64_t elements = outputs[0].size();
    row.function(arguments, elements - elements / 3, elements);
    row.function(arguments, 0, elements / 3);
    row.function(arguments, elements / 3, elements - elements / 3);

    for (Tensor& tensor : outputs) {
        const auto guard = std::span(tensor.data).last(kGuardBytes);
        CHECK(std::ranges::all_of(guard, [](std::byte byte) { return byte == kGuard; }));
        tensor.data.resize(tensor.data.size() - kGuardBytes);
    }
    return outputs;
}

inline Tensor call_one(Op op, const Attribute& attribute, const std::vector<Tensor>& in,
                       Tensor output) {
    return call(op, attribute, in, {std::move(output)}).front();
}

}  // namespace cpu::test
