// SPDX-License-Identifier: MIT
#include "cpu/reference/elementwise.hpp"
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

void select(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Output& out = call.outputs[0];
    const Input& condition = call.inputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        const bool chosen = condition.integer(broadcast(out.is, condition.is, i)) != 0;
        const Input& from = call.inputs[chosen ? 1 : 2];
        const std::uint64_t at = broadcast(out.is, from.is, i);
        if (out.is.is_float())
            out.put_real(i, from.real(at));
        else
            out.put_integer(i, from.integer(at));
    }
}

constexpr Row kRows[] = {{tosa::Op::Select, select, one_step}};

}  // namespace

std::span<const Row> select_rows() {
    return kRows;
}

}  // namespace cpu::reference
