// SPDX-License-Identifier: MIT
#include "vulkan/lowerer.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

// TOSA RESCALE between INT8 and INT32, both with either sign where they are INT8.
Result<void> add_rescale(Lowerer& to, const tosa::Operator& op) {
    const auto* attribute = op.serialized->attribute_as_RescaleAttribute();
    const ValueId in = op.inputs[0], multiplier = op.inputs[1], shift = op.inputs[2];
    const ValueId made = op.outputs[0];
    const ValueId tensors[] = {in, shift, made};
    if (auto fits = to.check(tensors); !fits) return fits;
    const auto integer = [&](ValueId id) {
        return to.type(id) == shader::kInt8 || to.type(id) == shader::kInt32;
    };
    const bool known_rounding =
        attribute->rounding_mode() == tosa::fbs::RoundingMode::SINGLE_ROUND ||
        attribute->rounding_mode() == tosa::fbs::RoundingMode::DOUBLE_ROUND;
    // An unsigned INT32 would not fit what kernels compute with; a multiplier of 16 bits
    // has no tensor type here.
    if (!integer(in) || !integer(made) || !known_rounding || !attribute->scale32() ||
        (attribute->input_unsigned() && to.type(in) != shader::kInt8) ||
        (attribute->output_unsigned() && to.type(made) != shader::kInt8))
        return std::unexpected(ErrorKind::Unsupported);
    if (auto fits = to.check(multiplier); !fits) return fits;
    const auto in_zero = zero_point(to, op, 3), out_zero = zero_point(to, op, 4);
    if (!in_zero) return std::unexpected(in_zero.error());
    if (!out_zero) return std::unexpected(out_zero.error());

    // One of a channel is broadcast along the last dimension, as a tensor of rank 1 is.
    Chain chain{.dims = padded(to.value(made)), .count = to.count(made)};
    for (const ValueId id : {in, multiplier, shift})
        chain.inputs.push_back(chain_input(to, id, chain.dims));
    const std::uint32_t rounding =
        attribute->rounding_mode() == tosa::fbs::RoundingMode::DOUBLE_ROUND ? shader::kDoubleRound
                                                                            : shader::kSingleRound;
    const auto unsigned_byte = [](std::int32_t zero, bool is_unsigned) {
        return static_cast<std::uint32_t>(is_unsigned ? zero & 0xFF : zero);
    };
    std::int32_t least = INT32_MIN, greatest = INT32_MAX;
    if (to.type(made) == shader::kInt8) {
        least = attribute->output_unsigned() ? 0 : INT8_MIN;
        greatest = attribute->output_unsigned() ? UINT8_MAX : INT8_MAX;
    }
    chain.stages = {
        {.op = shader::kRescale,
         .values = {0, 1, 2},
         .type = to.type(made),
         .parameters = {unsigned_byte(*in_zero, attribute->input_unsigned()),
                        unsigned_byte(*out_zero, attribute->output_unsigned()),
                        rounding | (attribute->input_unsigned() ? shader::kUnsignedInput : 0),
                        static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(greatest)}}};
    add_chain(to, made, std::move(chain));
    return {};
}

constexpr LowerRow kRows[] = {{tosa::Op::Rescale, add_rescale}};

}  // namespace

std::span<const LowerRow> rescale_rows() {
    return kRows;
}

}  // namespace vulkan
