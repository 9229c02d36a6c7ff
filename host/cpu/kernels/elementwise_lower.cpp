// SPDX-License-Identifier: MIT
#include "cpu/kernels/elementwise_lower.hpp"

#include <algorithm>

#include "tosa/number.hpp"
#include "tosa_generated.h"

namespace cpu::elementwise {
namespace {

using tosa::DType;
using tosa::Op;

// Makes a lowered operator. The graph is valid (providers.md 1.8).
class Lowering {
 public:
    Lowering(const tosa::Graph& graph, const tosa::Operator& op) : graph_(graph), op_(op) {}

    [[nodiscard]] const tosa::Value& input(std::size_t i) const {
        return graph_.values[op_.inputs[i]];
    }
    [[nodiscard]] const tosa::Value& output() const { return graph_.values[op_.outputs[0]]; }
    [[nodiscard]] const tosa::fbs::TosaOperator& serialized() const { return *op_.serialized; }
    [[nodiscard]] DType type() const { return output().type; }

    // Takes the first operands as they are.
    Lowering& operands(std::size_t count) {
        lowered_.operand_count = count;
        std::copy_n(op_.inputs.begin(), count, lowered_.operands.begin());
        return *this;
    }
    Lowering& cost(std::uint64_t cost) {
        lowered_.cost = cost;
        return *this;
    }
    Lowering& part(Code code, const Parameters& parameters = {}) {
        lowered_.parts[lowered_.part_count++] = {code, parameters};
        return *this;
    }
    // Integers as the output's type has them.
    Lowering& wrapped() {
        if (type() == DType::Int8) part(Code::Wrap8);
        if (type() == DType::Int16) part(Code::Wrap16);
        return *this;
    }
    Lowering& rounded() {
        if (type() == DType::Fp16) lowered_.round = Code::RoundFp16;
        if (type() == DType::Bf16) lowered_.round = Code::RoundBf16;
        if (type() == DType::Fp8E4M3) lowered_.round = Code::RoundFp8E4M3;
        if (type() == DType::Fp8E5M2) lowered_.round = Code::RoundFp8E5M2;
        return *this;
    }
    [[nodiscard]] Lowered done() const { return lowered_; }

 private:
    const tosa::Graph& graph_;
    const tosa::Operator& op_;
    Lowered lowered_;
};

struct Row {
    Op op;
    Lowered (*lower)(Lowering);
};

template <std::size_t kOperands, Code kFloat, Code kInteger, std::uint64_t kCost = 1>
Lowered numbers(Lowering made) {
    const bool is_float = tosa::is_float(made.input(0).type);
    return made.operands(kOperands).cost(kCost).part(is_float ? kFloat : kInteger).rounded().done();
}

template <Code kCode, std::uint64_t kCost>
Lowered function(Lowering made) {
    return made.operands(1).cost(kCost).part(kCode).rounded().done();
}

template <std::size_t kOperands, Code kCode>
Lowered plain(Lowering made) {
    return made.operands(kOperands).part(kCode).done();
}

int bits_of(DType type) {
    return type == DType::Int8 ? 8 : type == DType::Int16 ? 16 : 32;
}

Parameters signed_range(DType type) {
    const std::int64_t end = std::int64_t{1} << (bits_of(type) - 1);
    return {.low = static_cast<std::int32_t>(-end), .high = static_cast<std::int32_t>(end - 1)};
}

std::int32_t unsigned_mask(DType type) {
    return type == DType::Int8 ? 0xFF : type == DType::Int16 ? 0xFFFF : -1;
}

std::int32_t constant(const tosa::Value& value) {
    return static_cast<std::int32_t>(tosa::read_integer(value.type, value.data.data(), 0));
}

bool ignores_nan(tosa::fbs::NanPropagationMode mode) {
    return mode == tosa::fbs::NanPropagationMode::IGNORE;
}

template <Code kFloat, Code kIgnoringNaN, Code kInteger, auto kAttribute>
Lowered extremum(Lowering made) {
    if (!tosa::is_float(made.type())) return plain<2, kInteger>(made);
    const auto* attribute = (made.serialized().*kAttribute)();
    return made.operands(2).part(ignores_nan(attribute->nan_mode()) ? kIgnoringNaN : kFloat).done();
}

std::int32_t bound(DType type, const flatbuffers::Vector<std::uint8_t>& bytes) {
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    if (tosa::is_float(type))
        return std::bit_cast<std::int32_t>(static_cast<float>(tosa::read_float(type, data, 0)));
    return static_cast<std::int32_t>(tosa::read_integer(type, data, 0));
}

Lowered clamp(Lowering made) {
    const auto& attribute = *made.serialized().attribute_as_ClampAttribute();
    const Parameters bounds{.low = bound(made.type(), *attribute.min_val()),
                            .high = bound(made.type(), *attribute.max_val())};
    const Code code = !tosa::is_float(made.type())        ? Code::ClampI
                      : ignores_nan(attribute.nan_mode()) ? Code::ClampIgnoringNaN
                                                          : Code::ClampF;
    return made.operands(1).part(code, bounds).done();
}

// Zero points of floats are zero, and adding one would lose the sign of a zero.
Lowered negate(Lowering made) {
    made.operands(1);
    if (tosa::is_float(made.type())) return made.part(Code::NegateF).done();
    Parameters parameters = signed_range(made.type());
    parameters.in_zero = constant(made.input(1));
    parameters.out_zero = constant(made.input(2));
    return made.part(Code::NegateI, parameters).done();
}

Lowered multiply(Lowering made) {
    made.operands(2);
    if (tosa::is_float(made.type())) return made.part(Code::MulF).rounded().done();
    const std::int32_t shift = constant(made.input(2));
    return shift == 0 ? made.part(Code::MulI).done()
                      : made.cost(4).part(Code::MulShift, {.shift = shift}).done();
}

template <Code kCode>
Lowered shift(Lowering made) {
    return made.operands(2)
        .part(kCode, {.mask = unsigned_mask(made.type()), .shift = bits_of(made.type()) - 1})
        .wrapped()
        .done();
}

Lowered arithmetic_right_shift(Lowering made) {
    return made.serialized().attribute_as_ArithmeticRightShiftAttribute()->round()
               ? shift<Code::ShiftRightRounding>(made)
               : shift<Code::ShiftRight>(made);
}

Lowered cast(Lowering made) {
    const DType from = made.input(0).type;
    const DType to = made.type();
    made.operands(1);
    if (from == DType::Bool || to == DType::Bool) return made.part(Code::IsNotZero).done();
    if (tosa::is_float(from) && !tosa::is_float(to))
        return made.cost(2).part(Code::FloatToInt, signed_range(to)).done();
    if (tosa::is_float(from)) return made.part(Code::Copy).rounded().done();
    if (tosa::is_float(to))
        return made.part(to == DType::Bf16 ? Code::IntToBf16 : Code::IntToFloat).rounded().done();
    return made.part(Code::Copy).wrapped().done();
}

// Multipliers and shifts are operands, which broadcast along the last axis or altogether.
Lowered rescale(Lowering made) {
    const auto& attribute = *made.serialized().attribute_as_RescaleAttribute();
    const DType from = made.input(0).type;
    const DType to = made.type();
    Parameters parameters = signed_range(to);
    parameters.in_zero = constant(made.input(3));
    parameters.out_zero = constant(made.input(4));
    if (attribute.input_unsigned()) {
        parameters.mask = unsigned_mask(from);
        parameters.in_zero &= parameters.mask;
    }
    if (attribute.output_unsigned()) {
        parameters.low = 0;
        parameters.high = unsigned_mask(to);
        parameters.out_zero &= parameters.high;
    }
    parameters.low -= parameters.out_zero;
    parameters.high -= parameters.out_zero;
    // INEXACT_ROUND permits the exact result, too.
    parameters.double_round = attribute.rounding_mode() == tosa::fbs::RoundingMode::DOUBLE_ROUND;
    made.operands(3).cost(6).part(Code::Rescale, parameters);
    return attribute.output_unsigned() ? made.wrapped().done() : made.done();
}

Lowered table(Lowering made) {
    return made.operands(1).cost(2).part(Code::Table, {.table = made.input(1).data.data()}).done();
}

using Serialized = tosa::fbs::TosaOperator;

constexpr Row kRows[] = {
    {Op::Add, numbers<2, Code::AddF, Code::AddI>},
    {Op::Sub, numbers<2, Code::SubF, Code::SubI>},
    {Op::Mul, multiply},
    {Op::Abs, numbers<1, Code::AbsF, Code::AbsI>},
    {Op::Negate, negate},
    {Op::Clamp, clamp},
    {Op::Maximum, extremum<Code::MaxF, Code::MaxIgnoringNaN, Code::MaxI,
                           &Serialized::attribute_as_MaximumAttribute>},
    {Op::Minimum, extremum<Code::MinF, Code::MinIgnoringNaN, Code::MinI,
                           &Serialized::attribute_as_MinimumAttribute>},
    {Op::Reciprocal, function<Code::Reciprocal, 2>},
    {Op::Rsqrt, function<Code::Rsqrt, 4>},
    {Op::Ceil, plain<1, Code::Ceil>},
    {Op::Floor, plain<1, Code::Floor>},
    {Op::Exp, function<Code::Exp, 8>},
    {Op::Log, function<Code::Log, 8>},
    {Op::Sigmoid, function<Code::Sigmoid, 12>},
    {Op::Tanh, function<Code::Tanh, 12>},
    {Op::Erf, function<Code::Erf, 8>},
    {Op::Sin, function<Code::Sin, 8>},
    {Op::Cos, function<Code::Cos, 8>},
    {Op::Pow, numbers<2, Code::Pow, Code::Pow, 64>},
    {Op::Equal, numbers<2, Code::EqualF, Code::EqualI>},
    {Op::Greater, numbers<2, Code::GreaterF, Code::GreaterI>},
    {Op::GreaterEqual, numbers<2, Code::GreaterEqualF, Code::GreaterEqualI>},
    {Op::Select, plain<3, Code::Select>},
    {Op::BitwiseAnd, plain<2, Code::And>},
    {Op::BitwiseOr, plain<2, Code::Or>},
    {Op::BitwiseXor, plain<2, Code::Xor>},
    {Op::BitwiseNot, plain<1, Code::Not>},
    {Op::LogicalAnd, plain<2, Code::LogicalAnd>},
    {Op::LogicalOr, plain<2, Code::LogicalOr>},
    {Op::LogicalXor, plain<2, Code::LogicalXor>},
    {Op::LogicalNot, plain<1, Code::LogicalNot>},
    {Op::Clz, plain<1, Code::Clz>},
    {Op::ArithmeticRightShift, arithmetic_right_shift},
    {Op::LogicalLeftShift, shift<Code::ShiftLeft>},
    {Op::LogicalRightShift, shift<Code::ShiftRightLogical>},
    {Op::Cast, cast},
    {Op::Rescale, rescale},
    {Op::Table, table},
};

bool has_lanes(const tosa::Value& value) {
    using enum DType;
    constexpr DType kTypes[] = {Bool, Int8, Int16, Int32, Fp32, Fp16, Bf16, Fp8E4M3, Fp8E5M2};
    return std::ranges::contains(kTypes, value.type);
}

// What is looked at now has to be here now.
bool constants_at_hand(const tosa::Graph& graph, const tosa::Operator& op) {
    const auto at_hand = [&](std::size_t i) { return graph.values[op.inputs[i]].constant(); };
    switch (op.op) {
        case Op::Mul:
            return at_hand(2);
        case Op::Negate:
            return at_hand(1) && at_hand(2);
        case Op::Rescale:
            return at_hand(3) && at_hand(4);
        case Op::Table:  // of 256 INT8
            return graph.values[op.inputs[0]].type == DType::Int8 && at_hand(1);
        default:
            return true;
    }
}

}  // namespace

std::optional<Lowered> lower(const tosa::Graph& graph, const tosa::Operator& op) {
    const auto* row = std::ranges::find(kRows, op.op, &Row::op);
    if (row == std::end(kRows)) return std::nullopt;
    const auto lane = [&](tosa::ValueId id) { return has_lanes(graph.values[id]); };
    if (!std::ranges::all_of(op.inputs, lane) || !std::ranges::all_of(op.outputs, lane) ||
        !constants_at_hand(graph, op))
        return std::nullopt;
    return row->lower(Lowering(graph, op));
}

}  // namespace cpu::elementwise
