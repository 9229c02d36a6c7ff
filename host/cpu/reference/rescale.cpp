// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cpu/reference/rows.hpp"
#include "cpu/reference/saturate.hpp"
#include "tosa_generated.h"

namespace cpu::reference {
namespace {

// TOSA "Scaling Helpers": value * multiplier / 2^shift to the nearest, ties up. Double
// rounding first rounds to 2^-31, away from zero.
//
// Values, multipliers, shifts and results out of TOSA's bounds are scaled like any other,
// and the output saturates. Nothing leaves 64 bits: with 48-bit values go 16-bit
// multipliers, with 32-bit multipliers 32-bit values, so that a product is at most 2^62.
std::int64_t scaled(std::int64_t value, std::int64_t multiplier, std::int64_t shift,
                    bool round_twice) {
    std::int64_t round = std::int64_t{1} << (shift - 1);
    if (round_twice && shift > 31) round += value >= 0 ? 1 << 30 : -(1 << 30);
    return (value * multiplier + round) >> shift;
}

std::int64_t read(const Input& in, std::uint64_t i, bool is_unsigned) {
    const std::int64_t value = in.integer(i);
    return is_unsigned ? value & unsigned_range(in.is.type).max : value;
}

void rescale(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto& attribute = *call.op.attribute_as_RescaleAttribute();
    const Input& in = call.inputs[0];
    const Output& out = call.outputs[0];
    const bool from_unsigned = attribute.input_unsigned();
    const bool to_unsigned = attribute.output_unsigned();
    const std::int64_t in_zero = read(call.inputs[3], 0, from_unsigned);
    const std::int64_t out_zero = read(call.inputs[4], 0, to_unsigned);
    const Range range = to_unsigned ? unsigned_range(out.is.type) : signed_range(out.is.type);
    // INEXACT_ROUND permits the exact result, too.
    const bool round_twice = attribute.rounding_mode() == tosa::fbs::RoundingMode::DOUBLE_ROUND;
    const std::uint64_t channels =
        attribute.per_channel() ? in.is.extent(in.is.dims.size() - 1) : 1;

    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t channel = i % channels;
        const std::int64_t multiplier = call.inputs[1].integer(channel);
        const std::int64_t shift = std::clamp<std::int64_t>(call.inputs[2].integer(channel), 2, 62);
        const std::int64_t value = read(in, i, from_unsigned) - in_zero;
        out.put_integer(i,
                        range.saturate(scaled(value, multiplier, shift, round_twice) + out_zero));
    }
}

constexpr Row kRows[] = {{tosa::Op::Rescale, rescale, one_step}};

}  // namespace

std::span<const Row> rescale_rows() {
    return kRows;
}

}  // namespace cpu::reference
