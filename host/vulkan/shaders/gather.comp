// SPDX-License-Identifier: MIT
//
// TOSA GATHER and SCATTER, by bits: a word of the output by each invocation. Of rows of
// `channels` elements, GATHER makes `made_rows` by picking from `rows`. SCATTER keeps those
// of the input but puts others, which it gets `rows` of, where the indices say; of equal ones,
// which TOSA forbids, the last counts. Indices out of range pick zeros and put nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// As lower_lookup.cpp has them.
layout(constant_id = 2) const uint in_element = 0;
layout(constant_id = 3) const uint in_base = 0;
layout(constant_id = 4) const uint index_element = 0;
layout(constant_id = 5) const uint index_base = 0;
layout(constant_id = 6) const uint kept_element = 0;  // of SCATTER
layout(constant_id = 7) const uint kept_base = 0;
layout(constant_id = 8) const uint out_element = 0;
layout(constant_id = 9) const uint out_base = 0;
layout(constant_id = 10) const uint lanes = 1;
layout(constant_id = 11) const uint count = 0;      // of the output
layout(constant_id = 12) const uint channels = 1;
layout(constant_id = 13) const uint rows = 1;       // of a batch of the input
layout(constant_id = 14) const uint made_rows = 1;  // of a batch of the output
layout(constant_id = 15) const uint scatters = 0;

uint index_at(uint place) { return storage[index_element].words[index_base + place]; }

uint gathered(uint at) {
    uint row = at / channels, picked = index_at(row);
    if (picked >= rows) return 0;
    return load_raw(in_element, in_base, lanes,
                    (row / made_rows * rows + picked) * channels + at % channels);
}

uint scattered(uint at) {
    uint row = at / channels % made_rows, first = at / channels / made_rows * rows;
    for (uint from = first + rows; from > first; --from)
        if (index_at(from - 1) == row)
            return load_raw(in_element, in_base, lanes, (from - 1) * channels + at % channels);
    return load_raw(kept_element, kept_base, lanes, at);
}

void main() {
    uint words = (count + lanes - 1) / lanes;
    for (uint word = grid_first(); word < words; word += grid_stride()) {
        uint used = min(lanes, count - word * lanes), value = 0;
        for (uint lane = 0; lane < used; ++lane) {
            uint at = word * lanes + lane;
            value |= (scatters != 0 ? scattered(at) : gathered(at)) << lane * lane_bits(lanes);
        }
        store_word(out_element, out_base, word, value, lanes, used);
    }
}
