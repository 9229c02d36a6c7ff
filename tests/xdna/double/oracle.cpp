// SPDX-License-Identifier: MIT
#include "xdna/double/oracle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <variant>

namespace xrt_double {
namespace {

template <class T>
T load(Bytes bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
}

template <class T>
void store(std::span<std::byte> bytes, std::size_t index, T value) {
    std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

float widened(std::uint16_t bf16) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bf16) << 16);
}

constexpr std::uint16_t kNan = 0x7FC0;

// `a` and `b` give the operands' elements as FP32. Products of BF16 are exact.
template <class A, class B>
void multiply(const xdna::Shape& s, A a, B b, std::span<std::byte> out) {
    for (std::size_t m = 0; m < s.m; ++m)
        for (std::size_t n = 0; n < s.n; ++n) {
            float sum = 0;
            for (std::size_t k = 0; k < s.k; ++k)
                sum += a(m * s.k + k) * b(k * s.n + n);
            store(out, m * s.n + n, sum);
        }
}

auto bf16_elements(Bytes bytes) {
    return [bytes](std::size_t i) { return widened(load<std::uint16_t>(bytes, i)); };
}
auto fp8_elements(xdna::Fp8 format, Bytes bytes) {
    return [=](std::size_t i) { return widened(bf16_bits(format, load<std::uint8_t>(bytes, i))); };
}

using Inputs = std::span<const Bytes>;
using Output = std::span<std::byte>;

void copy(std::size_t bytes, Inputs in, Output out) {
    std::memcpy(out.data(), in[0].data(), bytes);
}
void run(const xdna::Bf16Identity& s, Inputs in, Output out) {
    copy(2 * std::size_t{s.elements}, in, out);
}
void run(const xdna::Int8Identity& s, Inputs in, Output out) {
    copy(s.elements, in, out);
}

void run(const xdna::Fp8ToBf16& s, Inputs in, Output out) {
    for (std::size_t i = 0; i < s.elements; ++i)
        store(out, i, bf16_bits(s.format, load<std::uint8_t>(in[0], i)));
}

void run(const xdna::Bf16Matmul& s, Inputs in, Output out) {
    multiply(s.shape, bf16_elements(in[0]), bf16_elements(in[1]), out);
}
void run(const xdna::Fp8Matmul& s, Inputs in, Output out) {
    multiply(s.shape, fp8_elements(s.a, in[0]), fp8_elements(s.b, in[1]), out);
}

void run(const xdna::Int8Matmul& s, Inputs in, Output out) {
    for (std::size_t m = 0; m < s.shape.m; ++m)
        for (std::size_t n = 0; n < s.shape.n; ++n) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < s.shape.k; ++k)
                sum += (load<std::int8_t>(in[0], m * s.shape.k + k) - s.a_zero) *
                       (load<std::int8_t>(in[1], k * s.shape.n + n) - s.b_zero);
            store(out, m * s.shape.n + n, sum);
        }
}

void run(const xdna::Int32ToInt8Rescale& s, Inputs in, Output out) {
    for (std::size_t i = 0; i < s.elements; ++i) {
        const std::int64_t product = std::int64_t{load<std::int32_t>(in[0], i)} * s.multiplier;
        const std::int64_t scaled = (product + (std::int64_t{1} << (s.shift - 1))) >> s.shift;
        const std::int64_t moved = scaled + s.output_zero;
        store(out, i, static_cast<std::int8_t>(std::clamp<std::int64_t>(moved, -128, 127)));
    }
}

// The bits of the largest, and the canonical NaN if one is among them.
std::uint16_t largest(const xdna::Bf16MaxPool2d& s, Bytes in, std::size_t y, std::size_t x,
                      std::size_t channel) {
    std::uint16_t most = 0xFF80;  // -inf
    for (std::size_t ky = 0; ky < s.kernel_y; ++ky)
        for (std::size_t kx = 0; kx < s.kernel_x; ++kx) {
            const std::size_t pixel = (y + ky) * s.in_width + x + kx;
            const auto bits = load<std::uint16_t>(in, pixel * s.channels + channel);
            if (std::isnan(widened(bits))) return kNan;
            if (widened(bits) > widened(most)) most = bits;
        }
    return most;
}

void run(const xdna::Bf16MaxPool2d& s, Inputs in, Output out) {
    std::size_t i = 0;
    for (std::size_t y = 0; y + s.kernel_y <= s.in_height; y += s.stride_y)
        for (std::size_t x = 0; x + s.kernel_x <= s.in_width; x += s.stride_x)
            for (std::size_t channel = 0; channel < s.channels; ++channel)
                store(out, i++, largest(s, in[0], y, x, channel));
}

}  // namespace

std::uint16_t bf16_bits(xdna::Fp8 format, std::uint8_t encoding) {
    const bool e4m3 = format == xdna::Fp8::E4M3;
    const int fraction_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const int most = e4m3 ? 15 : 31;
    const int exponent = (encoding & 0x7F) >> fraction_bits;
    const int fraction = encoding & ((1 << fraction_bits) - 1);
    const auto sign = static_cast<std::uint16_t>((encoding & 0x80) << 8);
    if (exponent == most) {
        if (e4m3 ? fraction == 7 : fraction != 0) return sign | kNan;
        if (!e4m3) return sign | 0x7F80;  // infinity
    }
    const int hidden = exponent == 0 ? 0 : 1 << fraction_bits;
    const int power = std::max(exponent, 1) - bias - fraction_bits;
    const float value = std::ldexp(static_cast<float>(hidden + fraction), power);
    return sign | static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

void compute(const xdna::Spec& spec, std::span<const Bytes> inputs, std::span<std::byte> output) {
    std::ranges::fill(output, std::byte{0});
    std::visit([&](const auto& s) { run(s, inputs, output); }, spec);
}

}  // namespace xrt_double
