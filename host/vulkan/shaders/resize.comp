// SPDX-License-Identifier: MIT
//
// TOSA RESIZE: a word of the output by each invocation. The nearest pixel's bits, or a blend
// of four: of floats in binary32 with every rounding, of INT8 exactly.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "numbers.inc"
#include "types.glsl"

// As lower_lookup.cpp has them.
layout(constant_id = 2) const uint in_element = 0;
layout(constant_id = 3) const uint in_base = 0;
layout(constant_id = 4) const uint out_element = 0;
layout(constant_id = 5) const uint out_base = 0;
layout(constant_id = 6) const uint in_type = 0;
layout(constant_id = 7) const uint out_type = 0;
layout(constant_id = 8) const uint count = 0;  // of the output
layout(constant_id = 9) const uint channels = 1;
layout(constant_id = 10) const uint nearest = 0;
layout(constant_id = 11) const uint height = 1;
layout(constant_id = 12) const uint out_height = 1;
layout(constant_id = 13) const uint up_y = 1;  // the scale is up / down
layout(constant_id = 14) const uint down_y = 1;
layout(constant_id = 15) const uint offset_y = 0;
layout(constant_id = 16) const uint width = 1;
layout(constant_id = 17) const uint out_width = 1;
layout(constant_id = 18) const uint up_x = 1;
layout(constant_id = 19) const uint down_x = 1;
layout(constant_id = 20) const uint offset_x = 0;

// Between two neighbours, which are equal at a border: `part` of the `up` parts of the way.
struct Between {
    uint low, high, part, up;
};

// Offsets are negative by one pixel at most, which is added before the division.
Between locate(uint at, uint up, uint down, uint offset, uint extent) {
    uint place = at * down + offset + up;
    uint after = place / up;
    return Between(min(max(after, 1u) - 1u, extent - 1), min(after, extent - 1), place % up, up);
}

uint element_of(uint image, uint y, uint x, uint channel) {
    return ((image * height + y) * width + x) * channels + channel;
}

float scaled(uint value, float by_y, float by_x) {
    precise float once = uintBitsToFloat(value) * by_y;
    precise float twice = once * by_x;
    return twice;
}

uint blend(uvec4 corners, Between y, Between x) {  // from low to high, x first
    if (out_type == kInt32)
        return corners.x * (y.up - y.part) * (x.up - x.part) +
               corners.y * (y.up - y.part) * x.part + corners.z * y.part * (x.up - x.part) +
               corners.w * y.part * x.part;
    float dy = float(y.part) / float(y.up), dx = float(x.part) / float(x.up);
    precise float result = scaled(corners.x, 1.0 - dy, 1.0 - dx);
    result = result + scaled(corners.y, 1.0 - dy, dx);
    result = result + scaled(corners.z, dy, 1.0 - dx);
    result = result + scaled(corners.w, dy, dx);
    return floatBitsToUint(result);
}

uint resized(uint at) {
    uint channel = at % channels, pixel = at / channels, image = pixel / out_width / out_height;
    Between y = locate(pixel / out_width % out_height, up_y, down_y, offset_y, height);
    Between x = locate(pixel % out_width, up_x, down_x, offset_x, width);
    if (nearest != 0)
        return load_raw(in_element, in_base, lanes_of(in_type),
                        element_of(image, 2 * y.part >= y.up ? y.high : y.low,
                                   2 * x.part >= x.up ? x.high : x.low, channel));
    uvec4 corners;
    for (uint i = 0; i < 4; ++i)
        corners[i] = load(in_element, in_base, in_type,
                          element_of(image, i < 2 ? y.low : y.high, i % 2 == 0 ? x.low : x.high,
                                     channel));
    return narrowed(blend(corners, y, x), out_type);
}

void main() {
    uint lanes = lanes_of(out_type), words = (count + lanes - 1) / lanes;
    for (uint word = grid_first(); word < words; word += grid_stride()) {
        uint used = min(lanes, count - word * lanes), value = 0;
        for (uint lane = 0; lane < used; ++lane)
            value |= resized(word * lanes + lane) << lane * lane_bits(lanes);
        store_word(out_element, out_base, word, value, lanes, used);
    }
}
