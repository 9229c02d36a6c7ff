// SPDX-License-Identifier: MIT
//
// Elements as they are, by bits, from one tensor to another: a word of the output by each
// invocation. Of a position of the output, `before` is taken off each coordinate; what then
// lies outside the input is padding, or starts over if the input is tiled.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 2) const uint in_element = 0;
layout(constant_id = 3) const uint in_base = 0;
layout(constant_id = 4) const uint out_element = 0;
layout(constant_id = 5) const uint out_base = 0;
layout(constant_id = 6) const uint pad_element = 0;  // the padding, a scalar
layout(constant_id = 7) const uint pad_base = 0;
layout(constant_id = 8) const uint lanes = 1;
layout(constant_id = 9) const uint count = 0;  // of the output
layout(constant_id = 10) const uint plain = 0;  // nothing moves
layout(constant_id = 11) const uint tiled = 0;
layout(constant_id = 12) const uint padded = 0;
layout(constant_id = 13) const uint first = 0;  // element of the input at position 0
#define DIMENSION(d)                                                                   \
    layout(constant_id = 14 + 4 * d) const uint dim##d = 1;                            \
    layout(constant_id = 15 + 4 * d) const uint source##d = 1; /* the input's extent */ \
    layout(constant_id = 16 + 4 * d) const uint stride##d = 0; /* may be negative */    \
    layout(constant_id = 17 + 4 * d) const uint before##d = 0;
DIMENSION(0)
DIMENSION(1)
DIMENSION(2)
DIMENSION(3)
DIMENSION(4)
DIMENSION(5)

#define PEEL(d)                                     \
    {                                               \
        uint digit = rest % dim##d - before##d;     \
        rest /= dim##d;                             \
        if (tiled != 0) digit %= source##d;         \
        outside = outside || digit >= source##d;    \
        at += digit * stride##d;                    \
    }

uint moved(uint rest) {
    uint at = first;
    bool outside = false;
    PEEL(5)
    PEEL(4)
    PEEL(3)
    PEEL(2)
    PEEL(1)
    PEEL(0)
    if (padded != 0 && outside) return load_raw(pad_element, pad_base, lanes, 0);
    return load_raw(in_element, in_base, lanes, at);
}

void main() {
    uint words = (count + lanes - 1) / lanes;
    for (uint word = grid_first(); word < words; word += grid_stride()) {
        uint used = min(lanes, count - word * lanes), value = 0;
        if (plain != 0)
            value = storage[in_element].words[in_base + word];
        else
            for (uint lane = 0; lane < used; ++lane)
                value |= moved(word * lanes + lane) << lane * lane_bits(lanes);
        store_word(out_element, out_base, word, value, lanes, used);
    }
}
