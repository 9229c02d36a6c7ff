// SPDX-License-Identifier: MIT
//
// out = min(max(in, lo), hi). A selection, made on the bit patterns: it returns one of
// the three operands unchanged whatever the device does with subnormals.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 2) const uint kIn = 0;
layout(constant_id = 3) const uint kInBase = 0;
layout(constant_id = 4) const uint kOut = 0;
layout(constant_id = 5) const uint kOutBase = 0;
layout(constant_id = 6) const uint kCount = 0;
layout(constant_id = 7) const uint kLow = 0;   // binary32 bits, not NaN
layout(constant_id = 8) const uint kHigh = 0;  // binary32 bits, not NaN
layout(constant_id = 9) const uint kPropagateNan = 1;

const uint kMagnitude = 0x7FFFFFFFu;
const uint kInfinity = 0x7F800000u;
const uint kQuiet = 0x00400000u;

// Orders as the numbers do, both zeros equal.
int rank(uint bits) {
    int magnitude = int(bits & kMagnitude);
    return (bits & ~kMagnitude) != 0 ? -magnitude : magnitude;
}

// On equal operands max keeps the first and min the second, as every provider does:
// the sign of a zero depends on it.
uint clamped(uint bits) {
    if ((bits & kMagnitude) > kInfinity)
        return kPropagateNan != 0 ? bits | kQuiet : kLow;
    uint raised = rank(bits) >= rank(kLow) ? bits : kLow;
    return rank(raised) < rank(kHigh) ? raised : kHigh;
}

void main() {
    for (uint i = grid_first(); i < kCount; i += grid_stride())
        storage[kOut].words[kOutBase + i] = clamped(storage[kIn].words[kInBase + i]);
}
