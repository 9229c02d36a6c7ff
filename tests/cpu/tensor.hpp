// SPDX-License-Identifier: MIT
//
// Contents of operands, as tests write and read them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tosa/encoding.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/number.hpp"

namespace cpu::test {

using tosa::DType;
using tosa::Op;
using tosa::test::Attribute;
using tosa::test::Dims;
using tosa::test::empty_attribute;

using Reals = std::vector<double>;  // holds every element of up to 48 bits
using Integers = std::vector<std::int64_t>;

// A tensor or shape operand in memory.
struct Tensor {
    DType type = DType::Fp32;
    Dims dims{};
    std::vector<std::byte> data{};

    Tensor(DType of_type, Dims of_dims)
        : type(of_type), dims(std::move(of_dims)), data(tosa::buffer_bytes(type, size())) {}
    Tensor(DType of_type, Dims of_dims, const Reals& values) : Tensor(of_type, std::move(of_dims)) {
        REQUIRE(values.size() == size());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (tosa::is_float(type))
                tosa::write_float(type, data.data(), i, values[i]);
            else
                tosa::write_integer(type, data.data(), i, static_cast<std::int64_t>(values[i]));
    }

    [[nodiscard]] std::size_t size() const {
        if (type == DType::Shape) return static_cast<std::size_t>(dims[0]);
        return static_cast<std::size_t>(tosa::element_count(dims));
    }
    [[nodiscard]] double operator[](std::uint64_t i) const {
        return tosa::is_float(type) ? tosa::read_float(type, data.data(), i)
                                    : static_cast<double>(tosa::read_integer(type, data.data(), i));
    }
    [[nodiscard]] Reals reals() const {
        Reals values(size());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = (*this)[i];
        return values;
    }
    // Of a floating-point type; NaN as the type's quiet one.
    [[nodiscard]] std::uint32_t bits(std::uint64_t i) const {
        return tosa::encode_float(type, (*this)[i]);
    }
    // Bit patterns of up to 16 bits.
    [[nodiscard]] Integers bits() const {
        const auto as = data.size() == size() ? DType::Int8 : DType::Int16;
        Integers values(size());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = tosa::read_integer(as, data.data(), i) & 0xFFFF;
        return values;
    }
};

// An operator as its file has it, with its attribute and without operands.
class SerializedOperator {
 public:
    SerializedOperator(Op op, const Attribute& attribute) {
        const auto number = static_cast<std::uint32_t>(op);
        const auto table = attribute(builder_);
        builder_.Finish(tosa::fbs::CreateTosaOperator(builder_, static_cast<tosa::fbs::Op>(number),
                                                      static_cast<tosa::fbs::Attribute>(number),
                                                      table));
    }

    [[nodiscard]] const tosa::fbs::TosaOperator& operator*() const {
        return *flatbuffers::GetRoot<tosa::fbs::TosaOperator>(builder_.GetBufferPointer());
    }

 private:
    flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace cpu::test
