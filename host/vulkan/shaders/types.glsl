// SPDX-License-Identifier: MIT
//
// Elements of a tensor as the 32 bits that kernels compute with: floats as binary32, integers
// sign-extended, BOOL as 0 or 1. Conversions are integer constructions, exact on every
// device whatever it does with subnormals (providers.md 3.11).

const uint kSign = 0x80000000u, kMagnitude = 0x7FFFFFFFu, kInfinity = 0x7F800000u;
const uint kQuietNan = 0x7FC00000u;

bool is_nan(uint bits) { return (bits & kMagnitude) > kInfinity; }

uint lanes_of(uint type) { return type <= kInt32 ? 1 : type == kFp16 ? 2 : 4; }

// Of a format with `mantissa` bits below `exponent` bits, and an exponent biased by `bias`.
// `finite` magnitudes come before the first that is not a number's.
uint widen(uint bits, uint exponent, uint mantissa, uint bias, uint finite) {
    uint width = exponent + mantissa;
    uint sign = bits >> width << 31, magnitude = bits & (1u << width) - 1u;
    uint shift = 23 - mantissa;
    if (magnitude > finite) {
        uint payload = bits & (1u << mantissa) - 1u;
        bool infinite = payload == 0 && finite != 0x7Eu;
        return sign | (infinite ? kInfinity : kQuietNan | payload << shift);
    }
    if (magnitude >> mantissa != 0) return sign | (magnitude << shift) + (127 - bias << 23);
    if (magnitude == 0) return sign;
    uint top = findMSB(magnitude);  // a subnormal, normal in binary32
    return sign | (127 - bias + 1 + top - mantissa << 23) | magnitude << 23 - top & 0x7FFFFFu;
}

// `value` / 2^shift to the nearest, ties to even, shift of 1 to 31.
uint halved_to_even(uint value, uint shift) {
    return value + (1u << shift - 1) - 1u + (value >> shift & 1u) >> shift;
}

// To the nearest, ties to even. What is beyond the largest finite number becomes `overflow`.
uint narrow(uint bits, uint exponent, uint mantissa, uint bias, uint finite, uint overflow,
            uint nan) {
    uint sign = bits >> 31 << exponent + mantissa, magnitude = bits & kMagnitude;
    if (magnitude > kInfinity) return sign | nan;
    uint shift = 23 - mantissa, smallest = 127 - bias + 1 << 23;  // smallest normal number
    uint kept;
    if (magnitude >= smallest) {
        uint rebiased = magnitude - (127 - bias << 23);
        kept = halved_to_even(rebiased, shift);
    } else {
        uint down = shift + (smallest >> 23) - max(magnitude >> 23, 1u);
        uint significand = magnitude & 0x7FFFFFu | (magnitude >> 23 != 0 ? 0x800000u : 0u);
        kept = down > 24 ? 0 : halved_to_even(significand, down);
    }
    return sign | (kept > finite ? overflow : kept);
}

// The parameters of both, of the formats narrower than 32 bits. One call serves all of them:
// it is compiled into a kernel many times, before the driver knows the type.
uint exponent_bits(uint type) { return type == kFp8E4M3 ? 4 : 5; }
uint mantissa_bits(uint type) { return type == kFp16 ? 10 : type == kFp8E4M3 ? 3 : 2; }
uint exponent_bias(uint type) { return type == kFp8E4M3 ? 7 : 15; }
uint largest_finite(uint type) {
    return type == kFp16 ? 0x7BFFu : type == kFp8E4M3 ? 0x7Eu : 0x7Bu;
}

uint widened(uint raw, uint type) {
    if (type >= kFp16 && type <= kFp8E5M2)
        raw = widen(raw, exponent_bits(type), mantissa_bits(type), exponent_bias(type),
                    largest_finite(type));
    if (type == kBool) raw = uint(raw != 0);
    if (type == kInt8) raw = uint(int(raw << 24) >> 24);
    return raw;
}

// What overflows becomes infinity where there is one, else NaN.
uint narrowed(uint value, uint type) {
    if (type >= kFp16 && type <= kFp8E5M2)
        value = narrow(value, exponent_bits(type), mantissa_bits(type), exponent_bias(type),
                       largest_finite(type), largest_finite(type) + 1,
                       type == kFp16 ? 0x7E00u : type == kFp8E4M3 ? 0x7Fu : 0x7Eu);
    if (type == kInt8) value &= 0xFFu;
    return value;
}

uint load(uint element, uint base, uint type, uint index) {
    return widened(load_raw(element, base, lanes_of(type), index), type);
}
