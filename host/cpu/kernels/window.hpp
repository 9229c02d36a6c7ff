// SPDX-License-Identifier: MIT
//
// A window that slides over an image of [batch, height, width, channels].
#pragma once

#include <algorithm>
#include <cstdint>

namespace cpu {

// Along one axis.
struct WindowAxis {
    std::int64_t in;   // extent of the input
    std::int64_t out;  // of the output
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t before;  // padding
    std::int64_t dilation;

    // Where the window of an output begins; before the input where it is negative.
    [[nodiscard]] std::int64_t start(std::int64_t at) const { return at * stride - before; }

    // Which of its taps lie in the input: [first, last), perhaps none.
    struct Taps {
        std::int64_t first;
        std::int64_t last;
    };
    [[nodiscard]] Taps taps(std::int64_t at) const {
        const std::int64_t from = start(at);
        if (from >= 0 && from + (kernel - 1) * dilation < in) return {0, kernel};
        const std::int64_t first = from >= 0 ? 0 : (-from + dilation - 1) / dilation;
        const std::int64_t last = from >= in ? 0 : (in - from + dilation - 1) / dilation;
        return {std::min(first, kernel), std::clamp(last, std::min(first, kernel), kernel)};
    }

    // The outputs whose taps all lie in the input: [first, last), perhaps none.
    [[nodiscard]] Taps whole() const {
        const std::int64_t reach = (kernel - 1) * dilation;
        const std::int64_t first = std::min((before + stride - 1) / stride, out);
        const std::int64_t room = in - 1 - reach + before;
        const std::int64_t last = room < 0 ? 0 : room / stride + 1;
        return {first, std::clamp(last, first, out)};
    }
};

struct Window {
    std::int64_t batch;
    std::int64_t channels;  // of the input
    WindowAxis y;
    WindowAxis x;

    // Work is cut into two lines of the output, which share lines of the input.
    static constexpr std::int64_t kUnitLines = 2;

    [[nodiscard]] std::int64_t units_an_image() const {
        return (y.out + kUnitLines - 1) / kUnitLines;
    }
    [[nodiscard]] std::uint64_t units() const {
        return static_cast<std::uint64_t>(batch * units_an_image());
    }
    // Calls body(image, first, last) for the lines of units [from, to), an image after another.
    template <class Body>
    void for_each_image(std::uint64_t from, std::uint64_t to, Body body) const {
        const std::int64_t units = units_an_image();
        const auto end = static_cast<std::int64_t>(to);
        for (auto at = static_cast<std::int64_t>(from); at < end;) {
            const std::int64_t image = at / units;
            const std::int64_t next = std::min(end, (image + 1) * units);
            body(static_cast<std::uint64_t>(image), (at - image * units) * kUnitLines,
                 std::min((next - image * units) * kUnitLines, y.out));
            at = next;
        }
    }
};

}  // namespace cpu
