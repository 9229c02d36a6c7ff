// SPDX-License-Identifier: MIT
//
// What cores of the array compute, in integers alone: for Peano, Clang for the array, and for
// the tests on the host, which are all that has run it so far. Products of BF16 are the
// toolchain's own. The numbers' formats are those of TOSA 1.0.
#pragma once

#include <cstdint>

namespace aie_kernels {

// A number of E bits of exponent and M of fraction, of which all ones in the exponent are
// infinity and NaNs as IEEE has them, or just the largest fraction is a NaN.
template <unsigned E, unsigned M, bool Ieee>
constexpr std::uint16_t to_bf16(std::uint8_t bits) {
    constexpr unsigned kMostExponent = (1U << E) - 1;
    constexpr unsigned kMostFraction = (1U << M) - 1;
    constexpr unsigned kBias = 127 - ((1U << (E - 1)) - 1);
    const unsigned sign = (bits & 0x80U) << 8U;
    unsigned exponent = bits >> M & kMostExponent;
    unsigned fraction = bits & kMostFraction;
    if (exponent == kMostExponent && (Ieee || fraction == kMostFraction))
        return static_cast<std::uint16_t>(sign | (Ieee && fraction == 0 ? 0x7F80U : 0x7FC0U));
    if (exponent == 0) {
        if (fraction == 0) return static_cast<std::uint16_t>(sign);
        // It has a leading one in BF16. The exponent wraps around, and back below.
        for (exponent = 1; (fraction >> M) == 0; --exponent)
            fraction <<= 1U;
        fraction &= kMostFraction;
    }
    return static_cast<std::uint16_t>(sign | (exponent + kBias) << 7U | fraction << (7U - M));
}

constexpr std::uint16_t e4m3_to_bf16(std::uint8_t bits) {
    return to_bf16<4, 3, false>(bits);
}
constexpr std::uint16_t e5m2_to_bf16(std::uint8_t bits) {
    return to_bf16<5, 2, true>(bits);
}

template <std::uint16_t (*Widen)(std::uint8_t), unsigned Elements>
void cast(const std::uint8_t* in, std::uint16_t* out) {
    for (unsigned i = 0; i < Elements; ++i)
        out[i] = Widen(in[i]);
}

// Of at most 512 products, of which none exceeds 2^16.
template <unsigned M, unsigned K, unsigned N, int AZero, int BZero>
void int8_matmul(const std::int8_t* a, const std::int8_t* b, std::int32_t* out) {
    for (unsigned row = 0; row < M; ++row)
        for (unsigned column = 0; column < N; ++column) {
            std::int32_t sum = 0;
            for (unsigned k = 0; k < K; ++k)
                sum += (a[row * K + k] - AZero) * (b[k * N + column] - BZero);
            out[row * N + column] = sum;
        }
}

// Ties go up. The padding of the last word is cleared: it reaches the guest.
template <unsigned Elements, std::int32_t Multiplier, unsigned Shift, int Zero>
void rescale(const std::int32_t* in, std::int8_t* out) {
    constexpr std::int64_t kHalf = std::int64_t{1} << (Shift - 1);
    for (unsigned i = 0; i < Elements; ++i) {
        const std::int64_t scaled = (std::int64_t{in[i]} * Multiplier + kHalf) >> Shift;
        const std::int64_t value = scaled + Zero;
        out[i] = static_cast<std::int8_t>(value < -128 ? -128 : value > 127 ? 127 : value);
    }
    for (unsigned i = Elements; i % 4 != 0; ++i)
        out[i] = 0;
}

// Orders BF16 numbers as unsigned integers, NaNs above all.
constexpr std::uint16_t order_of(std::uint16_t bits) {
    if ((bits & 0x7FFFU) > 0x7F80U) return 0xFFFF;
    return static_cast<std::uint16_t>((bits & 0x8000U) != 0 ? ~bits : bits | 0x8000U);
}

struct Pool {
    unsigned height, width, channels, kernel_y, kernel_x, stride_y, stride_x;
};

// One image, NHWC, without padding. A NaN in a window is its maximum. As in rescale(), what
// is left of the last word is cleared.
template <Pool P>
void max_pool(const std::uint16_t* in, std::uint16_t* out) {
    unsigned made = 0;
    for (unsigned y = 0; y + P.kernel_y <= P.height; y += P.stride_y)
        for (unsigned x = 0; x + P.kernel_x <= P.width; x += P.stride_x)
            for (unsigned c = 0; c < P.channels; ++c) {
                std::uint16_t most = in[(y * P.width + x) * P.channels + c];
                for (unsigned ky = 0; ky < P.kernel_y; ++ky)
                    for (unsigned kx = 0; kx < P.kernel_x; ++kx) {
                        const auto value = in[((y + ky) * P.width + x + kx) * P.channels + c];
                        if (order_of(value) > order_of(most)) most = value;
                    }
                out[made++] = most;
            }
    if (made % 2 != 0) out[made] = 0;
}

}  // namespace aie_kernels
