// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cpu/reference/rows.hpp"
#include "tosa_generated.h"

namespace cpu::reference {
namespace {

// TOSA RESIZE: one spatial axis, as its shape operands describe it.
struct Axis {
    std::int64_t in;
    std::int64_t up;  // scale is up / down
    std::int64_t down;
    std::int64_t offset;
};

// Where a coordinate falls between two neighbours, which are equal at a border.
struct Between {
    std::int64_t low;
    std::int64_t high;
    std::int64_t part;  // of the way from low to high, in parts of `up`
    std::int64_t up;

    [[nodiscard]] std::int64_t nearest() const { return 2 * part >= up ? high : low; }
    [[nodiscard]] double fraction() const {
        return static_cast<double>(part) / static_cast<double>(up);
    }
};

Axis axis(const Call& call, std::size_t which) {
    return {.in = call.inputs[0].is.dims[1 + which],
            .up = call.inputs[1].integer(2 * which),
            .down = call.inputs[1].integer(2 * which + 1),
            .offset = call.inputs[2].integer(which)};
}

Between locate(const Axis& axis, std::uint64_t out) {
    const std::int64_t at = static_cast<std::int64_t>(out) * axis.down + axis.offset;
    const std::int64_t part = (at % axis.up + axis.up) % axis.up;
    const std::int64_t low = (at - part) / axis.up;
    return {.low = std::clamp<std::int64_t>(low, 0, axis.in - 1),
            .high = std::clamp<std::int64_t>(low + 1, 0, axis.in - 1),
            .part = part,
            .up = axis.up};
}

// Each neighbour times its weights along both axes, which add up to `whole` each.
template <class Number, class Read>
Number blend(const Between& y, const Between& x, const Read& read, Number dy, Number whole_y,
             Number dx, Number whole_x) {
    return read(y.low, x.low) * (whole_y - dy) * (whole_x - dx) +
           read(y.low, x.high) * (whole_y - dy) * dx + read(y.high, x.low) * dy * (whole_x - dx) +
           read(y.high, x.high) * dy * dx;
}

void resize(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& in = call.inputs[0];
    const Output& out = call.outputs[0];
    const bool nearest =
        call.op.attribute_as_ResizeAttribute()->mode() == tosa::fbs::ResizeMode::NEAREST;
    const Axis height = axis(call, 0);
    const Axis width = axis(call, 1);
    const std::uint64_t channels = in.is.extent(3);
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t pixel = i / channels;
        const Between x = locate(width, pixel % out.is.extent(2));
        const Between y = locate(height, pixel / out.is.extent(2) % out.is.extent(1));
        const std::uint64_t batch = pixel / out.is.extent(2) / out.is.extent(1);
        const auto at = [&](std::int64_t row, std::int64_t column) {
            const auto in_row = batch * in.is.extent(1) + static_cast<std::uint64_t>(row);
            const auto in_pixel = in_row * in.is.extent(2) + static_cast<std::uint64_t>(column);
            return in_pixel * channels + i % channels;
        };
        const auto real = [&](std::int64_t row, std::int64_t column) {
            return in.real(at(row, column));
        };
        const auto integer = [&](std::int64_t row, std::int64_t column) {
            return in.integer(at(row, column));
        };
        if (nearest && in.is.is_float())
            out.put_real(i, real(y.nearest(), x.nearest()));
        else if (nearest)
            out.put_integer(i, integer(y.nearest(), x.nearest()));
        else if (in.is.is_float())
            out.put_real(i, blend<double>(y, x, real, y.fraction(), 1, x.fraction(), 1));
        else
            out.put_integer(i, blend<std::int64_t>(y, x, integer, y.part, y.up, x.part, x.up));
    }
}

constexpr Row kRows[] = {
    {tosa::Op::Resize, resize, [](const Call&) { return std::uint64_t{128}; }},
};

}  // namespace

std::span<const Row> resize_rows() {
    return kRows;
}

}  // namespace cpu::reference
