// SPDX-License-Identifier: MIT
#include <cmath>

#include "cpu/reference/rows.hpp"
#include "cpu/reference/saturate.hpp"

namespace cpu::reference {
namespace {

// TOSA CAST: to the nearest, ties to even, saturating. What NaN becomes it leaves open:
// here 0.
std::int64_t to_integer(tosa::DType type, double value) {
    if (std::isnan(value)) return 0;
    const Range range = signed_range(type);
    const double rounded = std::rint(value);
    if (rounded <= static_cast<double>(range.min)) return range.min;
    if (rounded >= static_cast<double>(range.max)) return range.max;
    return static_cast<std::int64_t>(rounded);
}

void cast(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& in = call.inputs[0];
    const Output& out = call.outputs[0];
    const bool logical = in.is.type == tosa::DType::Bool || out.is.type == tosa::DType::Bool;
    for (std::uint64_t i = first; i < last; ++i) {
        if (in.is.is_float() && out.is.is_float())
            out.put_real(i, in.real(i));
        else if (in.is.is_float())
            out.put_integer(i, to_integer(out.is.type, in.real(i)));
        else if (out.is.is_float())
            out.put_real(i, static_cast<double>(in.integer(i)));
        else
            out.put_integer(i, logical ? in.integer(i) != 0 : in.integer(i));
    }
}

constexpr Row kRows[] = {{tosa::Op::Cast, cast, one_step}};

}  // namespace

std::span<const Row> cast_rows() {
    return kRows;
}

}  // namespace cpu::reference
