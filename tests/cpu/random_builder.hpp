// SPDX-License-Identifier: MIT
//
// What the steps of random_graph.cpp choose and build with.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cpu/random_graph.hpp"
#include "tosa/attributes.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace cpu::test {

using corpus::Bytes;
using corpus::Tensor;
using corpus::Tolerance;
using tosa::DType;
using tosa::NanMode;
using tosa::Op;
using tosa::test::attribute;
using tosa::test::Dims;
using tosa::test::Fields;
using tosa::test::Names;

// How alike two engines have to compute a value: the same to the bit; the same as long as
// it stays a small whole number, whatever the order of a sum; or nearly.
enum class Grade : std::uint8_t { Whole, Exact, Rough };

struct Known {
    std::string name;
    DType type;
    Dims dims;
    Grade grade;
    bool read = false;
};

constexpr std::array kFloats{DType::Fp32, DType::Fp16, DType::Bf16};
constexpr std::array kWhole{DType::Int8, DType::Int16, DType::Int32};
constexpr std::array kAny{DType::Fp32,  DType::Fp16,  DType::Bf16, DType::Int8,
                          DType::Int16, DType::Int32, DType::Bool};

class RandomBuilder {
 public:
    explicit RandomBuilder(fuzz::Input choices) : choices_(choices) {}

 protected:
    // Choices.
    std::uint64_t below(std::uint64_t end) { return choices_.take<std::uint8_t>() % end; }
    std::int32_t extent() { return static_cast<std::int32_t>(1 + below(5)); }
    bool flip() { return below(2) != 0; }
    NanMode nan_mode() { return flip() ? NanMode::Propagate : NanMode::Ignore; }
    template <std::size_t n>
    DType type_among(const std::array<DType, n>& types) {
        return types[below(n)];
    }
    Dims some_dims() {
        Dims dims(1 + below(4));
        std::ranges::generate(dims, [&] { return extent(); });
        return dims;
    }

    std::string fresh() { return "v" + std::to_string(++names_); }

    // Operands: one that is there if any will do, or else a new input or constant.
    template <std::size_t n>
    Known any_of(const std::array<DType, n>& types, Grade worst = Grade::Exact) {
        std::vector<Known*> fit;
        for (Known& value : known_)
            if (!value.dims.empty() && value.grade <= worst &&
                std::ranges::contains(types, value.type))
                fit.push_back(&value);
        if (!fit.empty() && below(4) != 0) {
            Known& chosen = *fit[below(fit.size())];
            chosen.read = true;
            return chosen;
        }
        return input(type_among(types), some_dims(), worst == Grade::Whole);
    }

    Known input(DType type, Dims dims, bool whole) {
        const Tensor tensor = contents(type, dims, whole);
        Known value{fresh(), type, std::move(dims),
                    whole && tosa::is_float(type) ? Grade::Whole : Grade::Exact, true};
        made_.graph.input(value.name, value.dims, type);
        made_.inputs.push_back(tensor.data);
        return value;
    }
    Known constant(DType type, Dims dims, bool whole = true) {
        const Tensor tensor = contents(type, dims, whole);
        Known value{fresh(), type, std::move(dims), Grade::Whole, true};
        made_.graph.constant(value.name, value.dims, tensor.data, type);
        return value;
    }
    std::string zero_point(DType type) {
        const std::string name = fresh();
        std::vector<std::byte> data(tosa::constant_bytes(type, 1));
        if (type == DType::Int8)
            data[0] = choices_.take<std::uint8_t>() ? std::byte{3} : std::byte{};
        made_.graph.constant(name, {1}, data, type);
        return name;
    }
    std::string scalar(DType type, std::int64_t number) {
        const std::string name = fresh();
        std::vector<std::byte> data(tosa::constant_bytes(type, 1));
        tosa::write_integer(type, data.data(), 0, number);
        made_.graph.constant(name, {1}, data, type);
        return name;
    }
    std::string shape(const std::vector<std::int64_t>& values) {
        const std::string name = fresh();
        made_.graph.op(Op::ConstShape, {}, {name});
        const auto bytes = std::as_bytes(std::span(values));
        made_.graph.shapes.push_back(
            {name, static_cast<std::uint32_t>(values.size()), {bytes.begin(), bytes.end()}});
        return name;
    }

    // Floats are small whole numbers, or anything at all.
    Tensor contents(DType type, const Dims& dims, bool whole) {
        Tensor tensor{type, dims, {}};
        const std::uint64_t elements = tosa::element_count(dims);
        tensor.data.resize(tosa::buffer_bytes(type, elements));
        for (std::uint64_t i = 0; i < elements; ++i) {
            const std::uint8_t byte = choices_.take<std::uint8_t>();
            if (type == DType::Bool)
                tosa::write_integer(type, tensor.data.data(), i, byte & 1);
            else if (!tosa::is_float(type))
                tosa::write_integer(type, tensor.data.data(), i, std::int64_t{byte} * 16'843'009);
            else
                tosa::write_float(type, tensor.data.data(), i, whole ? byte % 5 - 2 : wild(byte));
        }
        return tensor;
    }
    static double wild(std::uint8_t byte) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        constexpr std::array kSpecial{
            0.0,   -0.0,     kInfinity, -kInfinity,
            1e-40, -0x1p-24, 65504.0,   std::numeric_limits<double>::quiet_NaN()};
        if (byte < kSpecial.size()) return kSpecial.at(byte);
        return (byte - 128.0) / 7;
    }

    void result(Op op, const Names& inputs, DType type, Dims dims, Grade grade,
                const Fields& fields = {}) {
        Known value{fresh(), type, std::move(dims), grade};
        made_.graph.tensor(value.name, value.dims, type);
        made_.graph.op(op, inputs, {value.name}, attribute(op, fields));
        known_.push_back(std::move(value));
    }

    void give_out(const Known& value) {
        Tolerance tolerance{};
        if (value.grade == Grade::Rough)
            tolerance = value.type == DType::Fp32 ? Tolerance{.absolute = 1e-6, .relative = 1e-5}
                                                  : Tolerance{.absolute = 1e-6, .ulp = 1};
        made_.graph.outputs.push_back(value.name);
        Bytes room(tosa::buffer_bytes(value.type, tosa::element_count(value.dims)));
        made_.outputs.push_back({value.type, value.dims, std::move(room)});
        made_.tolerances.push_back(tolerance);
    }

    // A partner that broadcasts against `dims`.
    Known partner(DType type, const Dims& dims) {
        Dims other = dims;
        for (std::int32_t& extent : other)
            if (below(4) == 0) extent = 1;
        return flip() ? input(type, other, false) : constant(type, other, false);
    }
    static Grade floor_of(const Known& value) { return std::max(value.grade, Grade::Exact); }

    fuzz::Input choices_;
    RandomGraph made_;
    std::vector<Known> known_;
    std::uint32_t names_ = 0;
};

}  // namespace cpu::test
