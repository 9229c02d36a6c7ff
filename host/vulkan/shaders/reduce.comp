// SPDX-License-Identifier: MIT
//
// TOSA REDUCE_* and ARGMAX: a word of the output by each invocation. Every element is folded
// from its line of the input in ascending order, floats with one rounding a step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"

// As lower_reduce.cpp has them.
layout(constant_id = 2) const uint in_element = 0;
layout(constant_id = 3) const uint in_base = 0;
layout(constant_id = 4) const uint out_element = 0;
layout(constant_id = 5) const uint out_base = 0;
layout(constant_id = 6) const uint in_type = 0;
layout(constant_id = 7) const uint out_type = 0;
layout(constant_id = 8) const uint count = 0;     // of the output
layout(constant_id = 9) const uint len = 1;       // of a line
layout(constant_id = 10) const uint stride = 1;   // between the elements of a line
layout(constant_id = 11) const uint join = kAdd;  // the stage that joins two elements
layout(constant_id = 12) const uint nan_mode = kPropagate;
layout(constant_id = 13) const uint nothing = 0;  // what joins any element to itself
layout(constant_id = 14) const uint find = 0;     // where the largest is, instead

uint joined(uint a, uint b) {
    switch (join) {
        case kAdd:
            return sum(a, b);
        case kMul:
            return product(a, b);
        case kMaximum:
            return maximum(a, b, nan_mode);
        case kMinimum:
            return minimum(a, b, nan_mode);
        case kIntAdd:
            return a + b;
        case kIntMaximum:
            return uint(max(int(a), int(b)));
        case kIntMinimum:
            return uint(min(int(a), int(b)));
        case kAnd:
            return a & b;
    }
    return a | b;
}

// Whether `next` is larger than all before it, the largest of which is `best`. NaN is larger
// than any number where it propagates, else smaller.
bool larger(uint next, uint best) {
    if (join == kIntMaximum) return int(next) > int(best);
    if (is_nan(next) || is_nan(best))
        return nan_mode == kPropagate ? !is_nan(best) : !is_nan(next);
    return order(next) > order(best);
}

uint folded(uint first) {
    uint result = nothing;
    for (uint k = 0; k < len; ++k)
        result = joined(result, load(in_element, in_base, in_type, first + k * stride));
    return narrowed(join == kAdd ? from_zero(result) : result, out_type);
}

uint place_of_largest(uint first) {
    uint best = load(in_element, in_base, in_type, first), place = 0;
    for (uint k = 1; k < len; ++k) {
        uint next = load(in_element, in_base, in_type, first + k * stride);
        if (larger(next, best)) {
            best = next;
            place = k;
        }
    }
    return place;
}

void main() {
    uint lanes = lanes_of(out_type), words = (count + lanes - 1) / lanes;
    for (uint word = grid_first(); word < words; word += grid_stride()) {
        uint used = min(lanes, count - word * lanes), value = 0;
        for (uint lane = 0; lane < used; ++lane) {
            uint index = word * lanes + lane;
            uint first = index / stride * stride * len + index % stride;
            uint made = find != 0 ? place_of_largest(first) : folded(first);
            value |= made << lane * lane_bits(lanes);
        }
        store_word(out_element, out_base, word, value, lanes, used);
    }
}
