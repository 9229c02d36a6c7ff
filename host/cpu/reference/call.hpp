// SPDX-License-Identifier: MIT
//
// What a reference function sees of the operator that it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tosa/graph.hpp"
#include "tosa/number.hpp"

namespace cpu::reference {

// A tensor or shape operand without its contents. The extents point into the artifact.
struct Type {
    tosa::DType type = tosa::DType::Unknown;
    std::span<const std::int32_t> dims{};
    std::uint64_t elements = 0;

    [[nodiscard]] std::uint64_t extent(std::size_t axis) const {
        return static_cast<std::uint64_t>(dims[axis]);
    }
    [[nodiscard]] bool is_float() const { return tosa::is_float(type); }
};

struct Input {
    const Type& is;
    const std::byte* data;

    [[nodiscard]] double real(std::uint64_t i) const { return tosa::read_float(is.type, data, i); }
    [[nodiscard]] std::int64_t integer(std::uint64_t i) const {
        return tosa::read_integer(is.type, data, i);
    }
};

struct Output {
    const Type& is;
    std::byte* data;

    // Rounds once, to nearest.
    void put_real(std::uint64_t i, double value) const {
        tosa::write_float(is.type, data, i, value);
    }
    // Wraps.
    void put_integer(std::uint64_t i, std::int64_t value) const {
        tosa::write_integer(is.type, data, i, value);
    }
};

struct Call {
    const tosa::fbs::TosaOperator& op;  // for its attribute, which is valid
    std::span<const Input> inputs;
    std::span<const Output> outputs;
};

// Computes elements [first, last) of every output. Calls for other elements may run at
// the same time.
using Function = void (*)(const Call& call, std::uint64_t first, std::uint64_t last);

// Rough number of scalar steps for one output element.
using Cost = std::uint64_t (*)(const Call& call);

}  // namespace cpu::reference
