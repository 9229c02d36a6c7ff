// SPDX-License-Identifier: MIT
//
// A graph of one operator, and a valid one of each for tests to spoil.
#pragma once

#include <string>
#include <vector>

#include "tosa/attributes.hpp"
#include "tosa/target.hpp"

namespace tosa::test {

struct Operand {
    enum class From : std::uint8_t { Block, Constant, Shape };
    Dims dims{};
    DType type = DType::Fp32;
    From from = From::Block;
    std::vector<std::byte> data{};       // of a constant; zeros if empty
    std::vector<std::int64_t> values{};  // of a shape
};

[[nodiscard]] Operand constant(Dims dims, DType type, std::vector<std::byte> data = {});
[[nodiscard]] Operand shape(std::vector<std::int64_t> values);

// The types that the rules for an operator tell apart.
struct Types {
    DType value = DType::Fp32;
    DType result = DType::Fp32;
    DType weight = DType::Fp32;
    DType acc = DType::Fp32;

    friend bool operator==(const Types&, const Types&) = default;
};

struct SingleOperator {
    Op op;
    std::vector<Operand> in{};
    std::vector<Operand> out{};
    Fields fields{};

    // Inputs are a, b, ..., outputs out0, out1, ...
    [[nodiscard]] GraphBuilder graph() const;
    // "operator 2 (MATMUL): ", as errors have it.
    [[nodiscard]] std::string place() const;
};

// Valid for types that go together. Of every operator but COND_IF, WHILE_LOOP and VARIABLE_*,
// which need more than themselves.
[[nodiscard]] SingleOperator valid(Op op, const Types& types = {});

// All extensions but EXT-DYNAMIC, both profiles, level 8K.
[[nodiscard]] bool accepted(const SingleOperator& single);
[[nodiscard]] bool accepted(const SingleOperator& single, const Target& target);

// CHECKs that it is refused with this message.
void check_refused(const SingleOperator& single, const std::string& message);
void check_refused(const SingleOperator& single, const std::string& message, const Target& target);

}  // namespace tosa::test
