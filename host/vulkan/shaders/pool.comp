// SPDX-License-Identifier: MIT
//
// TOSA MAX_POOL2D and AVG_POOL2D. Floats are added in ascending order from +0, one rounding
// each, and divided once; INT8 is exact.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"
#include "arithmetic.glsl"
#if TRANSCENDENTAL
#include "transcendental.glsl"
#endif
#include "chain.glsl"
#include "window.glsl"

CONSTANT(join, kWindow, kMaximum)  // the stage that joins two elements; a sum is then divided
CONSTANT(nan_mode, kWindow + 1, kPropagate)
CONSTANT(in_zero, kWindow + 2, 0)
CONSTANT(out_zero, kWindow + 3, 0)

uint nothing() {
    switch (join) {
        case kMaximum:
            return nan_mode == kIgnore ? kQuietNan : kSign | kInfinity;
        case kIntMaximum:
            return kSign;
    }
    return 0;
}

uint joined(uint so_far, uint next) {
    switch (join) {
        case kMaximum:
            return maximum(so_far, next, nan_mode);
        case kIntMaximum:
            return uint(max(int(so_far), int(next)));
        case kAdd:
            return sum(so_far, next);
    }
    return so_far + (next - in_zero);
}

// TOSA reciprocal_scale(): (2^30 + 1) << k, divided by n, where 2^k is the first power of
// two from n on. Bit by bit, as the dividend has up to 57 bits.
uint reciprocal_multiplier(uint n, uint k) {
    uint quotient = ((1u << 30) + 1) / n, rest = ((1u << 30) + 1) % n;
    for (uint i = 0; i < k; ++i) {
        rest *= 2;
        quotient = quotient * 2 + uint(rest >= n);
        if (rest >= n) rest -= n;
    }
    return quotient;
}

uvec4 divided(uvec4 sums, uint n) {
    if (join == kAdd) {
        for (uint i = 0; i < 4; ++i) {
            precise float result = uintBitsToFloat(from_zero(sums[i])) / float(n);
            sums[i] = floatBitsToUint(result);
        }
        return sums;
    }
    uint k = n == 1 ? 0 : findMSB(n - 1) + 1, shift = 30 + k;
    uint scale = reciprocal_multiplier(n, k);
    for (uint i = 0; i < 4; ++i) {
        uvec2 scaled = wide_sum(wide_product(sums[i], scale), wide_power(shift - 1));
        sums[i] = uint(clamp(int(wide_shifted(scaled, shift) + out_zero), -128, 127));
    }
    return sums;
}

void fold(uint pixel, uint channel) {
    uvec3 corner = corner_of(pixel);
    uvec4 so_far = uvec4(nothing());
    uint covered = 0;
    for (uint ky = 0; ky < kernel_y; ++ky) {
        uint y = corner.y + ky;
        if (y >= height) continue;
        for (uint kx = 0; kx < kernel_x; ++kx) {
            uint x = corner.z + kx;
            if (x >= width) continue;
            uvec4 next = load_quad(in_element, in_base, in_type,
                                   ((corner.x * height + y) * width + x) * channels + channel);
            for (uint i = 0; i < 4; ++i)
                so_far[i] = joined(so_far[i], next[i]);
            ++covered;
        }
    }
    made[0] = join == kAdd || join == kIntAdd ? divided(so_far, covered) : so_far;
}
