// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "tosa/number.hpp"
#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::Op;
using tosa::ValueId;
using Parameters = std::array<std::uint32_t, shader::kStageParameters>;

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// The stage that computes an operator of floats, and of integers or BOOL.
struct StageRow {
    Op op;
    std::uint32_t of_floats;
    std::uint32_t of_integers;
};

constexpr StageRow kStages[] = {
    {Op::Abs, shader::kAbs, shader::kIntAbs},
    {Op::Add, shader::kAdd, shader::kIntAdd},
    {Op::ArithmeticRightShift, kNone, shader::kArithmeticShiftRight},
    {Op::BitwiseAnd, kNone, shader::kAnd},
    {Op::BitwiseNot, kNone, shader::kBitNot},
    {Op::BitwiseOr, kNone, shader::kOr},
    {Op::BitwiseXor, kNone, shader::kXor},
    {Op::Cast, shader::kCopy, shader::kCopy},
    {Op::Ceil, shader::kCeil, kNone},
    {Op::Clamp, shader::kClamp, shader::kIntClamp},
    {Op::Clz, kNone, shader::kClz},
    {Op::Cos, shader::kCos, kNone},
    {Op::Equal, shader::kEqual, shader::kIntEqual},
    {Op::Erf, shader::kErf, kNone},
    {Op::Exp, shader::kExp, kNone},
    {Op::Floor, shader::kFloor, kNone},
    {Op::Greater, shader::kGreater, shader::kIntGreater},
    {Op::GreaterEqual, shader::kGreaterEqual, shader::kIntGreaterEqual},
    {Op::Log, shader::kLog, kNone},
    {Op::LogicalAnd, kNone, shader::kAnd},
    {Op::LogicalLeftShift, kNone, shader::kShiftLeft},
    {Op::LogicalNot, kNone, shader::kNot},
    {Op::LogicalOr, kNone, shader::kOr},
    {Op::LogicalRightShift, kNone, shader::kShiftRight},
    {Op::LogicalXor, kNone, shader::kXor},
    {Op::Maximum, shader::kMaximum, shader::kIntMaximum},
    {Op::Minimum, shader::kMinimum, shader::kIntMinimum},
    {Op::Mul, shader::kMul, shader::kIntMul},
    {Op::Negate, shader::kNegate, shader::kIntNegate},
    {Op::Pow, shader::kPow, kNone},
    {Op::Reciprocal, shader::kReciprocal, kNone},
    {Op::Rsqrt, shader::kRsqrt, kNone},
    {Op::Select, shader::kSelect, shader::kSelect},
    {Op::Sigmoid, shader::kSigmoid, kNone},
    {Op::Sin, shader::kSin, kNone},
    {Op::Sub, shader::kSub, shader::kIntSub},
    {Op::Tanh, shader::kTanh, kNone},
};

// An element as kernels compute with it.
std::uint32_t element(tosa::DType type, const std::byte* data) {
    if (tosa::is_float(type))
        return std::bit_cast<std::uint32_t>(static_cast<float>(tosa::read_float(type, data, 0)));
    return static_cast<std::uint32_t>(tosa::read_integer(type, data, 0));
}

Result<Parameters> clamp_parameters(const tosa::Operator& op, tosa::DType type) {
    const auto* attribute = op.serialized->attribute_as_ClampAttribute();
    const auto bound = [&](const flatbuffers::Vector<std::uint8_t>* bytes) {
        return element(type, reinterpret_cast<const std::byte*>(bytes->data()));
    };
    const std::uint32_t low = bound(attribute->min_val()), high = bound(attribute->max_val());
    if (!tosa::is_float(type)) return Parameters{low, high};
    if (!(std::bit_cast<float>(low) <= std::bit_cast<float>(high)))  // false for NaN
        return std::unexpected(ErrorKind::InvalidArgument);
    return Parameters{nan_mode(attribute->nan_mode()), low, high};
}

Result<Parameters> negate_parameters(const Lowerer& to, const tosa::Operator& op) {
    Parameters parameters{0, 0, to.type(op.inputs[0]) == shader::kInt8};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto zero = zero_point(to, op, 1 + i);
        if (!zero) return std::unexpected(zero.error());
        parameters[i] = static_cast<std::uint32_t>(*zero);
    }
    return parameters;
}

// Only an INT32 product is shifted.
Result<Parameters> mul_parameters(const Lowerer& to, const tosa::Operator& op) {
    const auto shift = zero_point(to, op, 2);
    if (!shift) return std::unexpected(shift.error());
    const bool shifts = to.type(op.inputs[0]) == shader::kInt32;
    return Parameters{shifts ? static_cast<std::uint32_t>(std::clamp(*shift, 0, 63)) : 0};
}

template <class Integer>
Parameters range_of() {
    using Limits = std::numeric_limits<Integer>;
    return {static_cast<std::uint32_t>(Limits::min()), static_cast<std::uint32_t>(Limits::max())};
}

// The highest that a shift moves.
std::uint32_t last_bit(const Lowerer& to, const tosa::Operator& op) {
    return 32 / shader::lanes_of(to.type(op.inputs[0])) - 1;
}

Result<Parameters> parameters_of(const Lowerer& to, const tosa::Operator& op) {
    const tosa::DType type = to.value(op.inputs[0]).type;
    switch (op.op) {
        case Op::Cast:
            return to.type(op.outputs[0]) == shader::kInt8 ? range_of<std::int8_t>()
                                                           : range_of<std::int32_t>();
        case Op::Clamp:
            return clamp_parameters(op, type);
        case Op::Negate:
            return negate_parameters(to, op);
        case Op::Maximum:
            return Parameters{nan_mode(op.serialized->attribute_as_MaximumAttribute()->nan_mode())};
        case Op::Minimum:
            return Parameters{nan_mode(op.serialized->attribute_as_MinimumAttribute()->nan_mode())};
        case Op::LogicalLeftShift:
        case Op::LogicalRightShift:
            return Parameters{last_bit(to, op)};
        case Op::ArithmeticRightShift:
            return Parameters{last_bit(to, op),
                              op.serialized->attribute_as_ArithmeticRightShiftAttribute()->round()};
        case Op::Mul:
            return mul_parameters(to, op);
        default:
            return Parameters{};
    }
}

// Operands that are elementwise inputs; what follows them are parameters.
std::size_t arity(Op op) {
    switch (op) {
        case Op::Select:
            return 3;
        case Op::Abs:
        case Op::BitwiseNot:
        case Op::Cast:
        case Op::Ceil:
        case Op::Clamp:
        case Op::Clz:
        case Op::Cos:
        case Op::Erf:
        case Op::Exp:
        case Op::Floor:
        case Op::Log:
        case Op::LogicalNot:
        case Op::Negate:
        case Op::Reciprocal:
        case Op::Rsqrt:
        case Op::Sigmoid:
        case Op::Sin:
        case Op::Tanh:
            return 1;
        default:
            return 2;
    }
}

// Between floats, or between integers and BOOL: whatever fits both, or its low bits.
std::uint32_t cast_stage(std::uint32_t from, std::uint32_t to) {
    if (shader::is_float(from) == shader::is_float(to)) return shader::kCopy;
    return shader::is_float(to) ? shader::kFromInteger : shader::kToInteger;
}

Result<void> add_elementwise(Lowerer& to, const tosa::Operator& op) {
    const auto row = std::ranges::find(kStages, op.op, &StageRow::op);
    const auto inputs = op.inputs.first(arity(op.op));
    const ValueId made = op.outputs[0];
    if (auto fits = to.check(inputs); !fits) return fits;
    if (auto fits = to.check(made); !fits) return fits;
    const std::uint32_t type = to.type(inputs.back());
    const std::uint32_t stage = op.op == Op::Cast        ? cast_stage(type, to.type(made))
                                : shader::is_float(type) ? row->of_floats
                                                         : row->of_integers;
    if (stage == kNone) return std::unexpected(ErrorKind::Unsupported);
    const auto parameters = parameters_of(to, op);
    if (!parameters) return std::unexpected(parameters.error());

    Chain chain{.dims = padded(to.value(made)), .count = to.count(made)};
    for (const ValueId id : inputs)
        chain.inputs.push_back(chain_input(to, id, chain.dims));
    chain.stages = {{.op = stage,
                     .values = {0, inputs.size() > 1 ? 1U : 0U, inputs.size() > 2 ? 2U : 0U},
                     .type = to.type(made),
                     .parameters = *parameters}};
    add_chain(to, made, std::move(chain));
    return {};
}

// An INT8 table only. The INT16 one, which interpolates, is in no tier.
Result<void> add_table(Lowerer& to, const tosa::Operator& op) {
    const ValueId in = op.inputs[0], table = op.inputs[1], made = op.outputs[0];
    const ValueId all[] = {in, table, made};
    if (auto fits = to.check(all); !fits) return fits;
    if (to.type(in) != shader::kInt8 || to.type(made) != shader::kInt8)
        return std::unexpected(ErrorKind::Unsupported);
    Chain chain{.dims = padded(to.value(made)), .count = to.count(made)};
    chain.inputs = {chain_input(to, in, chain.dims), {.tensor = table, .find = shader::kTableOnly}};
    chain.stages = {{.op = shader::kTable, .values = {0, 1, 0}, .type = shader::kInt8}};
    add_chain(to, made, std::move(chain));
    return {};
}

constexpr auto kRows = [] {
    std::array<LowerRow, std::size(kStages) + 1> rows{};
    for (std::size_t i = 0; i < std::size(kStages); ++i)
        rows[i] = {kStages[i].op, add_elementwise};
    rows.back() = {Op::Table, add_table};
    return rows;
}();

}  // namespace

std::uint32_t nan_mode(tosa::fbs::NanPropagationMode mode) {
    return mode == tosa::fbs::NanPropagationMode::PROPAGATE ? shader::kPropagate : shader::kIgnore;
}

ChainInput chain_input(const Lowerer& to, ValueId id, const Extents& dims) {
    const tosa::Value& value = to.value(id);
    if (value.constant() && value.elements == 1)
        return {.find = shader::kImmediate, .immediate = element(value.type, value.data.data())};
    if (value.elements == 1) return {.tensor = id, .find = shader::kScalar};
    const Extents own = padded(value);
    if (own == dims) return {.tensor = id};
    return {.tensor = id, .find = shader::kStrided, .strides = strides_of(own)};
}

void add_chain(Lowerer& to, TensorId writes, Chain chain) {
    to.push({.kernel = Kernel::Elementwise,
             .writes = writes,
             .chain = std::move(chain),
             .groups = to.word_groups(writes)});
}

std::span<const LowerRow> elementwise_rows() {
    return kRows;
}

}  // namespace vulkan
