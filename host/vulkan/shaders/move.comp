// SPDX-License-Identifier: MIT
//
// out[i] = in[i], word by word: every bit pattern survives.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 2) const uint kIn = 0;
layout(constant_id = 3) const uint kInBase = 0;
layout(constant_id = 4) const uint kOut = 0;
layout(constant_id = 5) const uint kOutBase = 0;
layout(constant_id = 6) const uint kCount = 0;

void main() {
    for (uint i = grid_first(); i < kCount; i += grid_stride())
        storage[kOut].words[kOutBase + i] = storage[kIn].words[kInBase + i];
}
