// SPDX-License-Identifier: MIT
#pragma once

#include "cpu/kernels/window.hpp"
#include "tosa/graph.hpp"
#include "tosa_generated.h"

namespace cpu {

using Numbers = flatbuffers::Vector<std::int32_t>;

// Of a valid pooling or convolution: padding is [top, bottom, left, right], all else [y, x].
template <class Attribute>
Window window_of(const tosa::Value& in, const tosa::Value& out, const Attribute& attribute,
                 std::int64_t kernel_y, std::int64_t kernel_x, const Numbers* dilation) {
    const Numbers& stride = *attribute.stride();
    const Numbers& pad = *attribute.pad();
    const auto along = [](const Numbers* numbers, unsigned axis) -> std::int64_t {
        return numbers == nullptr ? 1 : numbers->Get(axis);
    };
    return {
        .batch = in.dims[0],
        .channels = in.dims[3],
        .y = {in.dims[1], out.dims[1], kernel_y, stride.Get(0), pad.Get(0), along(dilation, 0)},
        .x = {in.dims[2], out.dims[2], kernel_x, stride.Get(1), pad.Get(2), along(dilation, 1)}};
}

}  // namespace cpu
