// SPDX-License-Identifier: MIT
//
// TOSA DEPTHWISE_CONV2D: weights [kernel_y, kernel_x, channel of the input, multiplier].
// Floats: taps in ascending order from +0, one fma() a step, of which what gemm.comp says
// holds, then the bias. INT8: exact, modulo 2^32.
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

CONSTANT(weight_element, kWindow, 0)
CONSTANT(weight_base, kWindow + 1, 0)
CONSTANT(bias_element, kWindow + 2, 0)
CONSTANT(bias_base, kWindow + 3, 0)
CONSTANT(one_bias, kWindow + 4, 0)  // for all channels
CONSTANT(multiplier, kWindow + 5, 1)
CONSTANT(in_zero, kWindow + 6, 0)
CONSTANT(weight_zero, kWindow + 7, 0)

uvec4 load_input(uint pixel, uint channel) {
    if (multiplier == 1) return load_quad(in_element, in_base, in_type, pixel * channels + channel);
    uint first = pixel * (channels / multiplier);
    uvec4 quad = uvec4(0);
    for (uint i = 0; i < (kQuads ? 4 : 1); ++i)
        quad[i] = load(in_element, in_base, in_type, first + (channel + i) / multiplier);
    return quad;
}

uvec4 with_product(uvec4 sums, uvec4 value, uvec4 weight) {
    if (result_type == kInt32) return sums + (value - in_zero) * (weight - weight_zero);
    return floatBitsToUint(
        fma(uintBitsToFloat(value), uintBitsToFloat(weight), uintBitsToFloat(sums)));
}

uvec4 with_bias(uvec4 sums, uvec4 bias) {
    if (result_type == kInt32) return sums + bias;
    for (uint i = 0; i < 4; ++i)
        sums[i] = from_zero(sum(sums[i], bias[i]));
    return sums;
}

void fold(uint pixel, uint channel) {
    uvec3 corner = corner_of(pixel);
    for (uint j = 0; j < columns; ++j)
        made[j] = uvec4(0);
    for (uint ky = 0; ky < kernel_y; ++ky) {
        uint y = corner.y + ky * dilation_y;
        if (y >= height) continue;
        for (uint kx = 0; kx < kernel_x; ++kx) {
            uvec4 weight = load_quad(weight_element, weight_base, in_type,
                                     (ky * kernel_x + kx) * channels + channel);
            for (uint j = 0; j < columns; ++j) {
                uint x = corner.z + j * stride_x + kx * dilation_x;
                if (x >= width) continue;
                made[j] = with_product(
                    made[j], load_input((corner.x * height + y) * width + x, channel), weight);
            }
        }
    }
    uvec4 bias = one_bias != 0
                     ? uvec4(load(bias_element, bias_base, result_type, 0))
                     : load_quad(bias_element, bias_base, result_type, channel);
    for (uint j = 0; j < columns; ++j)
        made[j] = with_bias(made[j], bias);
}
