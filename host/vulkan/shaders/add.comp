// SPDX-License-Identifier: MIT
//
// out = lhs + rhs in binary32, one rounding. Dimensions are padded to six with leading
// ones, the last one fastest; a broadcast dimension has stride 0.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = 2) const uint kLhs = 0;
layout(constant_id = 3) const uint kLhsBase = 0;
layout(constant_id = 4) const uint kRhs = 0;
layout(constant_id = 5) const uint kRhsBase = 0;
layout(constant_id = 6) const uint kOut = 0;
layout(constant_id = 7) const uint kOutBase = 0;
layout(constant_id = 8) const uint kCount = 0;
layout(constant_id = 9) const uint kBroadcast = 0;
layout(constant_id = 10) const uint kDim0 = 1;
layout(constant_id = 11) const uint kDim1 = 1;
layout(constant_id = 12) const uint kDim2 = 1;
layout(constant_id = 13) const uint kDim3 = 1;
layout(constant_id = 14) const uint kDim4 = 1;
layout(constant_id = 15) const uint kDim5 = 1;
layout(constant_id = 16) const uint kLhsStride0 = 0;
layout(constant_id = 17) const uint kLhsStride1 = 0;
layout(constant_id = 18) const uint kLhsStride2 = 0;
layout(constant_id = 19) const uint kLhsStride3 = 0;
layout(constant_id = 20) const uint kLhsStride4 = 0;
layout(constant_id = 21) const uint kLhsStride5 = 0;
layout(constant_id = 22) const uint kRhsStride0 = 0;
layout(constant_id = 23) const uint kRhsStride1 = 0;
layout(constant_id = 24) const uint kRhsStride2 = 0;
layout(constant_id = 25) const uint kRhsStride3 = 0;
layout(constant_id = 26) const uint kRhsStride4 = 0;
layout(constant_id = 27) const uint kRhsStride5 = 0;

// Adds the last dimension's share of both offsets and drops that dimension.
void peel(inout uint rest, inout uvec2 at, uint dim, uint lhs_stride, uint rhs_stride) {
    uint digit = rest % dim;
    rest /= dim;
    at += digit * uvec2(lhs_stride, rhs_stride);
}

uvec2 broadcast(uint i) {
    uvec2 at = uvec2(0);
    peel(i, at, kDim5, kLhsStride5, kRhsStride5);
    peel(i, at, kDim4, kLhsStride4, kRhsStride4);
    peel(i, at, kDim3, kLhsStride3, kRhsStride3);
    peel(i, at, kDim2, kLhsStride2, kRhsStride2);
    peel(i, at, kDim1, kLhsStride1, kRhsStride1);
    peel(i, at, kDim0, kLhsStride0, kRhsStride0);
    return at;
}

void main() {
    for (uint i = grid_first(); i < kCount; i += grid_stride()) {
        uvec2 at = kBroadcast != 0 ? broadcast(i) : uvec2(i);
        float lhs = uintBitsToFloat(storage[kLhs].words[kLhsBase + at.x]);
        float rhs = uintBitsToFloat(storage[kRhs].words[kRhsBase + at.y]);
        precise float sum = lhs + rhs;
        storage[kOut].words[kOutBase + i] = floatBitsToUint(sum);
    }
}
