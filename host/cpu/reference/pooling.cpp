// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cpu/reference/attribute.hpp"
#include "cpu/reference/extremum.hpp"
#include "cpu/reference/rows.hpp"
#include "cpu/reference/window.hpp"

namespace cpu::reference {
namespace {

template <class Attribute>
Window pool_window(const Call& call, const Attribute& attribute) {
    return make_window(call.inputs[0].is, call.outputs[0].is,
                       {.kernel = list(attribute.kernel()),
                        .pad = list(attribute.pad()),
                        .stride = list(attribute.stride())});
}

// Calls visit(input element) for each that the window of an output element covers. There
// is at least one: padding is smaller than the kernel.
template <class Visit>
void for_each_input(const Window& window, std::uint64_t element, Visit visit) {
    const auto channels = static_cast<std::uint64_t>(window.channels);
    for_each_tap(window, element, &WindowAxis::source,
                 [&](std::uint64_t pixel, std::uint64_t /*tap*/) {
                     visit(pixel * channels + element % channels);
                 });
}

// Division as TOSA has it: apply_scale_32() with reciprocal_scale(), which is a little more
// than the reciprocal, so that ties go away from zero. A sum beyond INT32, which TOSA leaves
// open, has been wrapped into it.
std::int64_t divide(std::int32_t sum, std::uint64_t count) {
    const int k = std::bit_width(count - 1);
    const auto multiplier =
        static_cast<std::int64_t>((((std::uint64_t{1} << 30) + 1) << k) / count);
    const int shift = 30 + k;
    return (sum * multiplier + (std::int64_t{1} << (shift - 1))) >> shift;
}

std::int64_t saturate(tosa::DType type, std::int64_t value) {
    if (type == tosa::DType::Int8) return std::clamp<std::int64_t>(value, INT8_MIN, INT8_MAX);
    return std::clamp<std::int64_t>(value, INT16_MIN, INT16_MAX);
}

// TOSA AVG_POOL2D: padding does not count. Floats: in double, rounded once.
void avg_pool(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Window window = pool_window(call, *call.op.attribute_as_AvgPool2dAttribute());
    const Input& in = call.inputs[0];
    const Output& out = call.outputs[0];
    const bool is_float = in.is.is_float();
    const std::int64_t in_zero = is_float ? 0 : call.inputs[1].integer(0);
    const std::int64_t out_zero = is_float ? 0 : call.inputs[2].integer(0);
    for (std::uint64_t i = first; i < last; ++i) {
        std::uint64_t count = 0;
        double real = 0;
        std::int64_t integer = 0;
        for_each_input(window, i, [&](std::uint64_t at) {
            ++count;
            if (is_float)
                real += in.real(at);
            else
                integer += in.integer(at) - in_zero;
        });
        if (is_float)
            out.put_real(i, real / static_cast<double>(count));
        else
            out.put_integer(i,
                            saturate(out.is.type,
                                     divide(static_cast<std::int32_t>(integer), count) + out_zero));
    }
}

// TOSA MAX_POOL2D: padding does not count. Where NaN is ignored, a window of
// nothing else still gives NaN.
void max_pool(const Call& call, std::uint64_t first, std::uint64_t last) {
    const auto& attribute = *call.op.attribute_as_MaxPool2dAttribute();
    const Window window = pool_window(call, attribute);
    const tosa::NanMode mode = nan_mode(attribute.nan_mode());
    const Input& in = call.inputs[0];
    for (std::uint64_t i = first; i < last; ++i) {
        double real = mode == tosa::NanMode::Ignore ? std::numeric_limits<double>::quiet_NaN()
                                                    : -std::numeric_limits<double>::infinity();
        std::int64_t integer = std::numeric_limits<std::int64_t>::min();
        for_each_input(window, i, [&](std::uint64_t at) {
            if (in.is.is_float())
                real = reference::maximum(real, in.real(at), mode);
            else
                integer = std::max(integer, in.integer(at));
        });
        if (in.is.is_float())
            call.outputs[0].put_real(i, real);
        else
            call.outputs[0].put_integer(i, integer);
    }
}

std::uint64_t avg_pool_cost(const Call& call) {
    return pool_window(call, *call.op.attribute_as_AvgPool2dAttribute()).taps() * 8;
}

std::uint64_t max_pool_cost(const Call& call) {
    return pool_window(call, *call.op.attribute_as_MaxPool2dAttribute()).taps() * 8;
}

constexpr Row kRows[] = {
    {tosa::Op::AvgPool2d, avg_pool, avg_pool_cost},
    {tosa::Op::MaxPool2d, max_pool, max_pool_cost},
};

}  // namespace

std::span<const Row> pooling_rows() {
    return kRows;
}

}  // namespace cpu::reference
