// SPDX-License-Identifier: MIT
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

// TOSA TABLE for INT16: the input is 9.7 fixed point, and the result 16.7, on the line
// between two neighbours of the table's 513 entries. Neighbours may lie further apart than
// TOSA allows: the result fits INT32 anyhow.
std::int64_t interpolated(const Input& table, std::int64_t value) {
    const auto index = static_cast<std::uint64_t>((value + 32768) >> 7);
    const std::int64_t fraction = value & 0x7F;
    const std::int64_t base = table.integer(index);
    const std::int64_t slope = table.integer(index + 1) - base;
    return base * 128 + slope * fraction;
}

void look_up(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& in = call.inputs[0];
    const Input& table = call.inputs[1];
    for (std::uint64_t i = first; i < last; ++i) {
        const std::int64_t value = in.integer(i);
        call.outputs[0].put_integer(i, in.is.type == tosa::DType::Int8
                                           ? table.integer(static_cast<std::uint64_t>(value + 128))
                                           : interpolated(table, value));
    }
}

constexpr Row kRows[] = {{tosa::Op::Table, look_up, one_step}};

}  // namespace

std::span<const Row> table_rows() {
    return kRows;
}

}  // namespace cpu::reference
