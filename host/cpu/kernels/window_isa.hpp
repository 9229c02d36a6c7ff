// SPDX-License-Identifier: MIT
//
// What slides a window over each channel by itself, once for each instruction set: lines of
// outputs, a vector of channels at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/kernels/window.hpp"
#include "tosa/types.hpp"

namespace cpu {

struct WindowLines {
    const Window* window;
    std::int64_t first;  // of the outputs
    std::int64_t last;
    const std::byte* in;  // the image
    std::byte* out;       // its first line
    // DEPTHWISE_CONV2D: [tap][channel], FP32 or INT32 less their zero point; of the output's type.
    const void* weights = nullptr;
    const std::byte* bias = nullptr;
    bool one_bias = false;
    std::int32_t in_zero = 0;  // INT8
    std::int32_t out_zero = 0;
    tosa::NanMode nan_mode = tosa::NanMode::Propagate;
};

using LinesFunction = void (*)(WindowLines lines);

// By the input's type; null where there is none.
struct WindowIsa {
    LinesFunction (*depthwise)(tosa::DType type);
    LinesFunction (*average)(tosa::DType type);
    LinesFunction (*maximum)(tosa::DType type);
};

[[nodiscard]] const WindowIsa& window_isa();

}  // namespace cpu
