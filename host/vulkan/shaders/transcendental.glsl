// SPDX-License-Identifier: MIT
//
// Transcendental operators, from and to the bits of binary32. They are made of sums and
// products of one rounding, which every device has, and of integers: so they give the same
// bits everywhere, subnormal operands included, and do not depend on how well a device's own
// exp() or sin() is made. Only where they multiply a subnormal it may be flushed; no result
// but a subnormal one changes by that. Constants are the public ones of Cephes and of series
// (providers.md 3.10).
//
// Held against binary64 on every 13th operand, the largest errors are, in units of the last
// place: RECIPROCAL 0.5 (0.75 of subnormal results), EXP 0.98, LOG 0.82, SIGMOID 2.7, SIN and
// COS 1.61, TANH 1.31, ERF 2.63. RSQRT is the device's. Rounded to binary16, all are within
// one unit of the nearest.

const uint kOne = 0x3F800000u;

// Of a finite number above 0, as if subnormal ones were not limited: the biased exponent,
// and the significand in [2^23, 2^24).
int exponent_of(uint magnitude) {
    return magnitude >= 0x800000u ? int(magnitude >> 23) : findMSB(magnitude) - 22;
}
uint significand_of(uint magnitude) {
    return magnitude >= 0x800000u ? magnitude & 0x7FFFFFu | 0x800000u
                                  : magnitude << 23 - findMSB(magnitude);
}

// A normal number times 2^power.
uint scaled(uint bits, int power) {
    uint sign = bits & kSign, significand = bits & 0x7FFFFFu;
    int exponent = int(bits >> 23 & 0xFFu) + power;
    if (exponent >= 255) return sign | kInfinity;
    if (exponent > 0) return sign | uint(exponent) << 23 | significand;
    uint down = uint(1 - exponent);
    significand |= 0x800000u;
    if (down > 24) return sign;
    return sign | halved_to_even(significand, down);
}

// A device's quotient may be a few units off, which its remainder tells. All but the
// remainder's low bits, which it fits, are known to cancel.
uint reciprocal(uint a) {
    uint sign = a & kSign, magnitude = a & kMagnitude;
    if (magnitude > kInfinity) return kQuietNan;
    if (magnitude == kInfinity) return sign;
    if (magnitude == 0) return sign | kInfinity;
    int exponent = exponent_of(magnitude);
    uint divisor = significand_of(magnitude);
    if (divisor == 0x800000u) return scaled(sign | kOne, 127 - exponent);
    precise float guess = 1.0 / uintBitsToFloat(divisor & 0x7FFFFFu | kOne);
    uint quotient = uint(guess * 16777216.0);  // of 2^47
    int remainder = int(0u - quotient * divisor);
    quotient += uint(2 * remainder + 9 * int(divisor)) / (2 * divisor) - 4;
    return scaled(sign | quotient & 0x7FFFFFu | kOne, 126 - exponent);
}

uint rsqrt(uint a) {
    uint magnitude = a & kMagnitude;
    if (magnitude == 0) return a | kInfinity;
    if (a > kInfinity) return kQuietNan;  // negative or NaN
    if (a == kInfinity) return 0;
    int exponent = exponent_of(a) - 127, even = exponent & ~1;
    uint within = (significand_of(a) & 0x7FFFFFu) + kOne + (uint(exponent - even) << 23);
    return scaled(floatBitsToUint(inversesqrt(uintBitsToFloat(within))), -even / 2);
}

uint exponential(uint a) {
    if (is_nan(a)) return kQuietNan;
    precise float x = clamp(uintBitsToFloat(a), -110.0, 90.0);  // 0 and infinity beyond
    precise float power = floor(x * 1.44269504 + 0.5);
    precise float r = x - power * 0.693359375 + power * 2.12194440e-4;
    precise float p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    p = p * (r * r) + r + 1.0;
    return scaled(floatBitsToUint(p), int(power));
}

uint logarithm(uint a) {
    if ((a & kMagnitude) == 0) return kSign | kInfinity;
    if (a > kInfinity) return kQuietNan;  // negative or NaN
    if (a == kInfinity) return a;
    int exponent = exponent_of(a) - 127;
    uint significand = significand_of(a) & 0x7FFFFFu;
    uint high = significand > 0x3504F3u ? 1 : 0;  // above sqrt(2)
    precise float power = float(exponent + int(high));
    precise float x = uintBitsToFloat((significand | kOne) - (high << 23)) - 1.0;
    precise float z = x * x;
    precise float p = 7.0376836292e-2;
    p = p * x - 1.1514610310e-1;
    p = p * x + 1.1676998740e-1;
    p = p * x - 1.2420140846e-1;
    p = p * x + 1.4249322787e-1;
    p = p * x - 1.6668057665e-1;
    p = p * x + 2.0000714765e-1;
    p = p * x - 2.4999993993e-1;
    p = p * x + 3.3333331174e-1;
    p = p * x * z - 2.12194440e-4 * power - 0.5 * z;
    precise float result = x + p + 0.693359375 * power;
    return floatBitsToUint(result);
}

// 32 bits of 2/pi each, after as many that are zero.
const uint kTwoOverPi[8] = uint[8](0u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u,
                                   0xDB629599u, 0x3C439041u, 0xFE5163ABu);

// The sine of |x| plus so many quarter turns. From pi/4 on, |x| is taken to the nearest
// quarter turn by Payne and Hanek's method alone: subtracting parts of pi, which is quicker,
// loses the last places near the zeros from the second one on (providers.md 3.10, [M]).
uint sine_from(uint magnitude, uint quarter) {
    if (magnitude >= kInfinity) return kQuietNan;
    precise float z = uintBitsToFloat(magnitude);
    uint flip = 0;
    if (magnitude > 0x3F490FDAu) {
        // Quarter turns from a window of 2/pi, as whole ones in the highest two bits: what is
        // before it makes full turns, what is behind it is too small to tell.
        uint at = (magnitude >> 23) - 120, up = at & 31u, w[3];
        for (uint i = 0; i < 3; ++i) {
            uint next = up == 0 ? 0u : kTwoOverPi[(at >> 5) + i + 1] >> 32 - up;
            w[i] = kTwoOverPi[(at >> 5) + i] << up | next;
        }
        uint significand = magnitude & 0x7FFFFFu | 0x800000u;
        uint high1, low1, high2, low2, carry;
        umulExtended(significand, w[1], high1, low1);
        umulExtended(significand, w[2], high2, low2);
        uint low = uaddCarry(low1, high2, carry);
        uint high = significand * w[0] + high1 + carry;
        uint nearest = high + 0x20000000u >> 30;
        quarter += nearest;
        high -= nearest << 30;
        if ((high & kSign) != 0) {  // before that quarter turn
            flip = kSign;
            low = ~low + 1u;
            high = ~high + (low == 0 ? 1u : 0u);
        }
        // The leading 12 and the following 24 bits of what is left, times pi/2.
        int down = high == 0 ? 63 - findMSB(low) : 31 - findMSB(high);
        if (down >= 32) {
            high = low;
            low = 0;
        }
        uint bits = uint(down & 31);
        high = high << bits | (bits == 0 ? 0u : low >> 32 - bits);
        low <<= bits;
        precise float first = float(high >> 20);
        precise float rest = float((high & 0xFFFFFu) << 4 | low >> 28);
        z = first * 1.5703125 + (first * 4.83826792e-4 + rest * 9.3627994e-8);
        z = uintBitsToFloat(scaled(floatBitsToUint(z), -10 - down));
    }
    precise float square = z * z;
    precise float p;
    if ((quarter & 1u) == 0) {
        p = -1.9515296e-4;
        p = p * square + 8.332161e-3;
        p = p * square - 1.6666655e-1;
        p = p * square * z + z;
    } else {
        p = 2.4433157e-5;
        p = p * square - 1.3887316e-3;
        p = p * square + 4.1666646e-2;
        p = p * square * square - 0.5 * square + 1.0;
        flip = 0;
    }
    return floatBitsToUint(p) ^ flip ^ (quarter & 2u) << 30;
}

// Near 0, where other ways would cancel.
uint tanh_near_0(uint a) {
    precise float x = uintBitsToFloat(a);
    precise float z = x * x;
    precise float p = -5.7049887e-3;
    p = p * z + 2.063909e-2;
    p = p * z - 5.3739716e-2;
    p = p * z + 1.3331442e-1;
    p = p * z - 3.333328e-1;
    p = p * z * x + x;
    return floatBitsToUint(p);
}
uint erf_near_0(uint a) {
    precise float x = uintBitsToFloat(a);
    precise float z = x * x;
    precise float p = 1.0 / 76204800.0;
    p = p * z - 1.0 / 6894720.0;
    p = p * z + 1.0 / 685440.0;
    p = p * z - 1.0 / 75600.0;
    p = p * z + 1.0 / 9360.0;
    p = p * z - 1.0 / 1320.0;
    p = p * z + 1.0 / 216.0;
    p = p * z - 1.0 / 42.0;
    p = p * z + 1.0 / 10.0;
    p = p * z - 1.0 / 3.0;
    p = p * z + 1.0;
    p = p * x * 1.12837917;
    return floatBitsToUint(p);
}

// From 1 to 4, erf(x) is 1 - t * exp(p), of t = 1 / (1 + x / 2).
float erf_t(float x) {
    precise float half_up = x * 0.5 + 1.0;
    precise float t = 1.0 / half_up;
    return t;
}
float erf_p(float x, float t) {
    precise float p = 0.17087277;
    p = p * t - 0.82215223;
    p = p * t + 1.4885159;
    p = p * t - 1.135204;
    p = p * t + 0.27886807;
    p = p * t - 0.18628806;
    p = p * t + 0.09678418;
    p = p * t + 0.37409196;
    p = p * t + 1.0000237;
    p = p * t - 1.2655122 - x * x;
    return p;
}

// IEEE 754 pow(a, b) of every pair of operands, but for exp(b * log(|a|)), which is `result`.
uint power(uint a, uint b, uint result) {
    uint base = a & kMagnitude, magnitude = b & kMagnitude;
    if (magnitude == 0 || a == kOne) return kOne;
    if (is_nan(a) || is_nan(b)) return kQuietNan;
    if (base == kOne && magnitude == kInfinity) return kOne;
    // Whether b is a whole number, and whether an odd one.
    int places = 150 - int(magnitude >> 23);  // of its last bit
    bool whole_number = places <= 0, odd = false;
    if (places >= 0 && places <= 23) {
        uint significand = magnitude & 0x7FFFFFu | 0x800000u;
        whole_number = (significand & (1u << places) - 1u) == 0;
        odd = whole_number && (significand >> places & 1u) != 0;
    }
    bool negative = (a & kSign) != 0;
    if (negative && base != 0 && base != kInfinity && !whole_number) return kQuietNan;
    return negative && odd ? result | kSign : result;
}

// All operators in one function, so that what they share is there once: drivers compile every
// stage of a chain with all of it before they know the operator. Signs of odd functions, and
// NaN, are taken care of here.
uint transcendental(uint op, uint a, uint b) {
    uint sign = a & kSign, magnitude = a & kMagnitude;
    if (op == kRsqrt) return rsqrt(a);
    if (op == kPow ? false : magnitude > kInfinity) return kQuietNan;
    if (op == kSin && magnitude < 0x39800000u) return a;  // 2^-12
    if (op == kSin || op == kCos)
        return sine_from(magnitude, op == kCos ? 1 : 0) ^ (op == kSin ? sign : 0u);

    if (op == kTanh && magnitude < 0x39800000u || op == kErf && magnitude == 0) return a;
    if (op == kTanh && magnitude < 0x3F200000u) return tanh_near_0(magnitude) | sign;
    if (op == kErf && magnitude < kOne) return erf_near_0(magnitude) | sign;
    if (op == kErf && magnitude >= 0x40800000u) return kOne | sign;

    uint logs = 0;
    if (op == kLog || op == kPow) logs = logarithm(op == kLog ? a : magnitude);
    if (op == kLog) return logs;

    precise float x = uintBitsToFloat(magnitude), t = 1.0;
    uint argument = a;                                   // of the exponential
    if (op == kSigmoid) argument = a | kSign;            // it neither cancels nor overflows so
    if (op == kTanh) argument = floatBitsToUint(x + x);
    if (op == kErf) {
        t = erf_t(x);
        argument = floatBitsToUint(erf_p(x, t));
    }
    if (op == kPow) argument = product(logs, b);
    uint e = 0;
    if (op != kReciprocal) e = exponential(argument);
    if (op == kExp) return e;
    if (op == kPow) return power(a, b, e);

    precise float result = 1.0 - t * uintBitsToFloat(e);
    if (op == kErf) return floatBitsToUint(result) | sign;
    precise float sum = uintBitsToFloat(e) + 1.0;
    uint upper = reciprocal(op == kReciprocal ? a : floatBitsToUint(sum));
    result = 1.0 - 2.0 * uintBitsToFloat(upper);
    if (op == kTanh) return floatBitsToUint(result) | sign;
    return op == kSigmoid && sign != 0 ? product(e, upper) : upper;
}
