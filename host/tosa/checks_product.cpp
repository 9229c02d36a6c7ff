// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "tosa/checks.hpp"

namespace tosa {
namespace {

// FFTs are defined for powers of two only.
Checked<void> check_fft_extent(std::int32_t extent, const LevelLimits& level) {
    if (std::has_single_bit(static_cast<std::uint32_t>(extent)) && extent <= level.kernel)
        return {};
    return bad_shape("an extent of {} is no power of two up to {}", extent, level.kernel);
}

Checked<void> check_fft_input(const Subject& subject) {
    const auto in = subject.input(0).dims;
    if (auto height = check_fft_extent(in[1], subject.level); !height) return height;
    return check_fft_extent(in[2], subject.level);
}

}  // namespace

Checked<void> check_matmul_shapes(const Subject& subject) {
    const auto a = subject.input(0).dims;
    const auto b = subject.input(1).dims;
    const auto out = subject.output(0).dims;
    if (a[0] == b[0] && a[2] == b[1] && out[0] == a[0] && out[1] == a[1] && out[2] == b[2])
        return {};
    return bad_shape("{} by {} does not give {}", text(a), text(b), text(out));
}

Checked<void> check_fft2d_shapes(const Subject& subject) {
    if (auto input = check_fft_input(subject); !input) return input;
    const auto in = subject.input(0).dims;
    for (const auto& dims : {subject.input(1).dims, subject.output(0).dims, subject.output(1).dims})
        if (!std::ranges::equal(dims, in))
            return bad_shape("{} is not the shape {} of the real input", text(dims), text(in));
    return {};
}

Checked<void> check_rfft2d_shapes(const Subject& subject) {
    if (auto input = check_fft_input(subject); !input) return input;
    const auto in = subject.input(0).dims;
    for (const auto& dims : {subject.output(0).dims, subject.output(1).dims})
        if (dims[0] != in[0] || dims[1] != in[1] || dims[2] != in[2] / 2 + 1)
            return bad_shape("{} does not give {}", text(in), text(dims));
    return {};
}

}  // namespace tosa
