// SPDX-License-Identifier: MIT
#include "tosa/checks.hpp"
#include "tosa/encoding.hpp"
#include "tosa/number.hpp"

namespace tosa {
namespace {

constexpr std::int32_t kExtentEnd = 16384;
constexpr std::int64_t kLargestNumerator = 2048;

// Along one axis, output element o lies at (o * denominator + offset) / numerator.
struct Scale {
    std::int64_t numerator;
    std::int64_t denominator;
    std::int64_t offset;
    std::int64_t border;
};

// The guest's 64-bit values are bounded from left to right, each by ones that have been:
// no product overflows.
bool in_range(const Scale& scale, const LevelLimits& level) {
    const auto [numerator, denominator, offset, border] = scale;
    return numerator > 0 && numerator <= kLargestNumerator && denominator > 0 &&
           denominator < 16 * numerator && numerator <= level.resize_scale * denominator &&
           offset >= -numerator && offset < 16 * numerator && border >= -16 * numerator &&
           border < numerator;
}

Checked<void> check_scale(const Scale& scale, std::int32_t in, std::int32_t out,
                          const LevelLimits& level) {
    const auto [numerator, denominator, offset, border] = scale;
    if (!in_range(scale, level))
        return bad_shape("scale {}/{}, offset {} and border {} are out of range", numerator,
                         denominator, offset, border);
    const std::int64_t last = (in - 1) * numerator - offset + border;
    if (last == (out - 1) * denominator) return {};
    return bad_shape("{} elements at scale {}/{}, offset {} and border {} do not give {}", in,
                     numerator, denominator, offset, border, out);
}

}  // namespace

Checked<void> check_resize_mode(const Subject& subject) {
    const fbs::ResizeMode mode = subject.attribute<fbs::ResizeAttribute>().mode();
    if (mode != fbs::ResizeMode::NEAREST && mode != fbs::ResizeMode::BILINEAR)
        return bad_attribute("{} is no resize mode", static_cast<std::uint32_t>(mode));
    // Only integers that are blended come out wider, and they always do.
    const DType in = subject.input(0).type, out = subject.output(0).type;
    if (!is_float(in) && (in != out) != (mode == fbs::ResizeMode::BILINEAR))
        return bad_attribute("{} does not make {} of {}", fbs::EnumNameResizeMode(mode), name(out),
                             name(in));
    return {};
}

Checked<void> check_resize_shapes(const Subject& subject) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (in[0] != out[0] || in[3] != out[3])
        return bad_shape("batch or channels of {} are not those of {}", text(in), text(out));
    for (const std::int32_t extent : {in[1], in[2], out[1], out[2]})
        if (extent >= kExtentEnd)
            return bad_shape("an extent of {} is not below {}", extent, kExtentEnd);
    for (const std::size_t input : {1U, 2U, 3U})
        if (!known(subject, input)) return {};
    const auto scale = subject.input(1).data;
    const auto offset = subject.input(2).data;
    const auto border = subject.input(3).data;
    for (std::size_t i = 0; i < 2; ++i) {
        const Scale axis{shape_value(scale, 2 * i), shape_value(scale, 2 * i + 1),
                         shape_value(offset, i), shape_value(border, i)};
        if (auto checked = check_scale(axis, in[1 + i], out[1 + i], subject.level); !checked)
            return checked;
    }
    return {};
}

}  // namespace tosa
