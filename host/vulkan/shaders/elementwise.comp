// SPDX-License-Identifier: MIT
//
// A chain on its own: a word of the output by each invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"
#if TRANSCENDENTAL
#include "transcendental.glsl"
#endif
#include "chain.glsl"

void main() {
    uint width = lanes_of(out_type);
    uint words = (count + width - 1) / width;
    for (uint word = grid_first(); word < words; word += grid_stride()) {
        uint lanes[4];
        for (uint lane = 0; lane < width; ++lane)
            if (word * width + lane < count) lanes[lane] = chain(word * width + lane, 0);
        store_lanes(word * width, lanes);
    }
}
