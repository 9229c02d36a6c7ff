// SPDX-License-Identifier: MIT
//
// Rows of the output, made of rows of up to four inputs one after the other: a word of the
// output by each invocation. What lies outside of them is left as it is.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 2) const uint out_element = 0;
layout(constant_id = 3) const uint out_base = 0;
layout(constant_id = 4) const uint lanes = 1;
layout(constant_id = 5) const uint count = 0;  // of the output
layout(constant_id = 6) const uint row = 1;    // elements of a row of the output
layout(constant_id = 7) const uint begin = 0;  // of the first part in a row
#define PART(n)                                                 \
    layout(constant_id = 8 + 3 * n) const uint element##n = 0;  \
    layout(constant_id = 9 + 3 * n) const uint base##n = 0;     \
    layout(constant_id = 10 + 3 * n) const uint width##n = 0;
PART(0)
PART(1)
PART(2)
PART(3)

#define TRY(n)                                                                      \
    if (column < width##n) {                                                        \
        value = load_raw(element##n, base##n, lanes, line * width##n + column);     \
        return true;                                                                \
    }                                                                               \
    column -= width##n;

bool part_of(uint index, out uint value) {
    uint line = index / row, column = index % row - begin;
    TRY(0)
    TRY(1)
    TRY(2)
    TRY(3)
    return false;
}

void main() {
    uint words = (count + lanes - 1) / lanes;
    for (uint word = grid_first(); word < words; word += grid_stride()) {
        uint value = 0, mine = 0;
        for (uint lane = 0; lane < min(lanes, count - word * lanes); ++lane) {
            uint found;
            if (!part_of(word * lanes + lane, found)) continue;
            value |= found << lane * lane_bits(lanes);
            mine |= lane_mask(lanes) << lane * lane_bits(lanes);
        }
        if (mine == 0) continue;
        if (mine != ~0u) value |= storage[out_element].words[out_base + word] & ~mine;
        storage[out_element].words[out_base + word] = value;
    }
}
