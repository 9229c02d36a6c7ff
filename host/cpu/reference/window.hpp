// SPDX-License-Identifier: MIT
//
// What convolutions and pools share: for an output element, the input pixels that the
// kernel covers there.
#pragma once

#include <array>

#include "cpu/reference/call.hpp"

namespace cpu::reference {

// One spatial axis. "Before" is the padding at its low end.
struct WindowAxis {
    std::int64_t in = 1;
    std::int64_t out = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;

    // The input coordinate under kernel coordinate `tap` at an output coordinate;
    // negative where there is none.
    [[nodiscard]] std::int64_t source(std::int64_t at, std::int64_t tap) const {
        const std::int64_t from = at * stride - before + tap * dilation;
        return from < in ? from : -1;
    }

    // TRANSPOSE_CONV2D: of which input coordinate `tap` carries something to there.
    [[nodiscard]] std::int64_t transposed_source(std::int64_t at, std::int64_t tap) const {
        const std::int64_t from = at - before - tap;
        return from >= 0 && from % stride == 0 && from / stride < in ? from / stride : -1;
    }
};

// Tensors are [batch, spatial axes, channels].
struct Window {
    std::array<WindowAxis, 3> axes;  // the first is 1 long where there are two
    std::int64_t channels = 1;       // of the output

    [[nodiscard]] std::uint64_t taps() const {
        return static_cast<std::uint64_t>(axes[0].kernel * axes[1].kernel * axes[2].kernel);
    }
};

struct WindowAttributes {
    std::span<const std::int32_t> kernel;
    std::span<const std::int32_t> pad;  // two an axis
    std::span<const std::int32_t> stride;
    std::span<const std::int32_t> dilation{};  // empty: 1
};

inline Window make_window(const Type& in, const Type& out, const WindowAttributes& attributes) {
    Window window;
    window.channels = out.dims.back();
    const std::size_t spatial = out.dims.size() - 2;
    for (std::size_t i = 0; i < spatial; ++i)
        window.axes[window.axes.size() - spatial + i] = {
            .in = in.dims[1 + i],
            .out = out.dims[1 + i],
            .kernel = attributes.kernel[i],
            .stride = attributes.stride[i],
            .dilation = attributes.dilation.empty() ? 1 : attributes.dilation[i],
            .before = attributes.pad[2 * i]};
    return window;
}

using Source = std::int64_t (WindowAxis::*)(std::int64_t at, std::int64_t tap) const;

// Calls visit(pixel, tap) for each pair that meets at output element `element`, both
// counted over all their axes. Padding is left out, which TOSA allows and pools need.
template <class Visit>
void for_each_tap(const Window& window, std::uint64_t element, Source source, Visit visit) {
    const auto& [depth, height, width] = window.axes;
    auto rest = static_cast<std::int64_t>(element) / window.channels;
    const std::int64_t out_x = rest % width.out;
    rest /= width.out;
    const std::int64_t out_y = rest % height.out;
    rest /= height.out;
    const std::int64_t out_z = rest % depth.out;
    const std::int64_t batch = rest / depth.out;
    for (std::int64_t kz = 0; kz < depth.kernel; ++kz) {
        const std::int64_t z = (depth.*source)(out_z, kz);
        if (z < 0) continue;
        for (std::int64_t ky = 0; ky < height.kernel; ++ky) {
            const std::int64_t y = (height.*source)(out_y, ky);
            if (y < 0) continue;
            for (std::int64_t kx = 0; kx < width.kernel; ++kx) {
                const std::int64_t x = (width.*source)(out_x, kx);
                if (x < 0) continue;
                const std::int64_t pixel = ((batch * depth.in + z) * height.in + y) * width.in + x;
                const std::int64_t tap = (kz * height.kernel + ky) * width.kernel + kx;
                visit(static_cast<std::uint64_t>(pixel), static_cast<std::uint64_t>(tap));
            }
        }
    }
}

}  // namespace cpu::reference
