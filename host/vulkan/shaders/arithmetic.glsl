// SPDX-License-Identifier: MIT
//
// Operations of one rounding, selections made on bit patterns, integers.

// `precise` keeps a driver from fusing an operation with the next (NoContraction). It may
// still take it that there are no infinities, NaN or signs of zeros, and compute x - x as 0:
// so those are told apart by their bits, and no property of the device is asked for.
uint sum(uint a, uint b) {
    if (is_nan(a) || is_nan(b)) return kQuietNan;
    uint magnitude = a & kMagnitude;
    if (magnitude == kInfinity) return b == (a ^ kSign) ? kQuietNan : a;
    if ((b & kMagnitude) == kInfinity) return b;
    if ((magnitude | b & kMagnitude) == 0) return a & b;
    precise float result = uintBitsToFloat(a) + uintBitsToFloat(b);
    return floatBitsToUint(result);
}
uint product(uint a, uint b) {
    uint sign = (a ^ b) & kSign, x = a & kMagnitude, y = b & kMagnitude;
    if (x > kInfinity || y > kInfinity) return kQuietNan;
    if (x == 0 || y == 0) return x == kInfinity || y == kInfinity ? kQuietNan : sign;
    if (x == kInfinity || y == kInfinity) return sign | kInfinity;
    precise float result = uintBitsToFloat(a) * uintBitsToFloat(b);
    return floatBitsToUint(result);
}

// Of a sum that starts from +0, which -0 cannot be. Drivers may leave out adding a zero.
uint from_zero(uint result) { return result == kSign ? 0 : result; }

// A sum as a tensor of that type holds it.
uint rounded_sum(uint result, uint type) {
    return type == kInt32 ? result : widened(narrowed(from_zero(result), type), type);
}

// CEIL and FLOOR by bits, as a device may flush subnormals. What a fraction is cut from grows
// in magnitude where `away` says so.
uint whole(uint a, bool away) {
    uint magnitude = a & kMagnitude;
    if (magnitude < 0x3F800000u)
        return magnitude == 0 || !away ? a & kSign : a & kSign | 0x3F800000u;
    int exponent = int(magnitude >> 23) - 127;
    if (exponent >= 23) return a;  // infinities and NaN, too
    uint fraction = 0x7FFFFFu >> exponent;
    if ((a & fraction) == 0) return a;
    return (away ? a + fraction : a) & ~fraction;
}

// Orders as the numbers do, both zeros equal. Not for NaN.
int order(uint bits) {
    int magnitude = int(bits & kMagnitude);
    return (bits & kSign) != 0 ? -magnitude : magnitude;
}

// What NaN among the operands makes of a selection between them.
uint without_nan(uint a, uint b, uint mode, uint chosen) {
    if (!is_nan(a) && !is_nan(b)) return chosen;
    if (mode == kPropagate || is_nan(a) && is_nan(b)) return kQuietNan;
    return is_nan(a) ? b : a;
}

// On equal operands the maximum is the first and the minimum the second, as every provider
// has it: the sign of a zero depends on it.
uint maximum(uint a, uint b, uint mode) {
    return without_nan(a, b, mode, order(a) >= order(b) ? a : b);
}
uint minimum(uint a, uint b, uint mode) {
    return without_nan(a, b, mode, order(a) < order(b) ? a : b);
}

// A 64-bit integer as (low, high).
uvec2 wide_product(uint a, uint b) {
    int high, low;
    imulExtended(int(a), int(b), high, low);
    return uvec2(low, high);
}
uvec2 wide_sum(uvec2 a, uvec2 b) {
    uint carry;
    uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}
// The low half of `value >> shift`, shift of 1 to 63, rounded to the nearest, ties up. The bit
// shifted out last is added, as half a unit need not fit 64 bits together with the value.
uint wide_rounded(uvec2 value, uint shift) {
    if (shift > 32) return uint(int(value.y) >> shift - 32) + (value.y >> shift - 33 & 1u);
    uint half_unit = value.x >> shift - 1 & 1u;
    return (shift == 32 ? value.y : value.x >> shift | value.y << 32 - shift) + half_unit;
}

// TOSA MUL of INT32, with a rounding right shift.
uint scaled_product(uint a, uint b, uint shift) {
    return shift == 0 ? a * b : wide_rounded(wide_product(a, b), shift);
}

// TOSA NEGATE, saturating. Of INT32 the zero points are 0.
uint negated(uint value, uint input_zero, uint output_zero, uint int8) {
    int result = int(input_zero + output_zero - value);
    if (int8 != 0) return uint(clamp(result, -128, 127));
    return value == kSign ? kMagnitude : uint(result);
}

// TOSA leaves shifts by the width and more open: as everywhere, they are taken modulo it.
// `last` is the highest shift, the width less 1.
uint shifted_left(uint value, uint shift, uint last) { return value << (shift & last); }
uint shifted_right(uint value, uint shift, uint last) {
    return (value & ~0u >> 31 - last) >> (shift & last);
}

// TOSA ARITHMETIC_RIGHT_SHIFT, rounding half up if asked to.
uint shifted(uint value, uint shift, uint last, uint rounds) {
    shift &= last;
    int result = int(value) >> shift;
    if (rounds != 0 && shift != 0) result += int(value) >> shift - 1 & 1;
    return uint(result);
}

// The low half of `value >> shift`, shift of 1 to 62.
uint wide_shifted(uvec2 value, uint shift) {
    if (shift >= 32) return uint(int(value.y) >> shift - 32);
    return value.x >> shift | value.y << 32 - shift;
}
uvec2 wide_power(uint exponent) {
    return exponent >= 32 ? uvec2(0, 1u << exponent - 32) : uvec2(1u << exponent, 0);
}

// By integers, as a device may round a conversion as it likes.
uint from_integer(uint value) {
    uint sign = value & kSign, magnitude = sign != 0 ? 0 - value : value;
    if (magnitude == 0) return 0;
    uint top = findMSB(magnitude);
    uint significand = top <= 23 ? magnitude << 23 - top : halved_to_even(magnitude, top - 23);
    return sign | (127 + top - 1 << 23) + significand;  // its leading bit adds to the exponent
}

// To the nearest, ties to even, saturated to [least, greatest]; NaN becomes 0.
uint to_integer(uint bits, uint least, uint greatest) {
    uint magnitude = bits & kMagnitude, exponent = magnitude >> 23;
    if (magnitude > kInfinity || exponent < 126) return 0;
    if (exponent >= 127 + 31) return (bits & kSign) != 0 ? least : greatest;
    uint significand = magnitude & 0x7FFFFFu | 0x800000u;
    uint whole = exponent >= 150 ? significand << exponent - 150
                                 : halved_to_even(significand, 150 - exponent);
    int value = (bits & kSign) != 0 ? -int(whole) : int(whole);
    return uint(clamp(value, int(least), int(greatest)));
}

// TOSA RESCALE: scaled in 64 bits, then saturated to the output's range.
uint rescaled(uint value, uint multiplier, uint shift, uint input_zero, uint output_zero,
              uint flags, uint least, uint greatest) {
    uint centred = ((flags & kUnsignedInput) != 0 ? value & 0xFFu : value) - input_zero;
    shift = uint(clamp(int(shift), 2, 62));
    uvec2 half_unit = wide_power(shift - 1);
    if ((flags & 1u) == kDoubleRound && shift > 31)
        half_unit = wide_sum(half_unit, int(centred) >= 0 ? uvec2(1u << 30, 0)
                                                          : uvec2(3u << 30, ~0u));
    uvec2 sum64 = wide_sum(wide_product(centred, multiplier), half_unit);
    int low = int(wide_shifted(sum64, shift)), high = int(sum64.y) >> min(shift, 31u);
    if (high != low >> 31) low = high < 0 ? 0x80000000 : 0x7FFFFFFF;
    return uint(clamp(low, int(least - output_zero), int(greatest - output_zero))) + output_zero;
}
