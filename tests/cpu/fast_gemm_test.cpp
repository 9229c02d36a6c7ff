// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "cpu/fast.hpp"
#include "cpu/kernels/gemm.hpp"
#include "tosa/encoding.hpp"

namespace cpu::test {
namespace {

using tosa::DType;

struct Types {
    DType in;
    DType out;
};
constexpr Types kTypes[] = {{DType::Fp32, DType::Fp32}, {DType::Fp16, DType::Fp16},
                            {DType::Fp16, DType::Fp32}, {DType::Bf16, DType::Bf16},
                            {DType::Bf16, DType::Fp32}, {DType::Int8, DType::Int32}};

// Around the sizes of tiles and blocks, and primes.
constexpr GemmShape kShapes[] = {
    {1, 1, 1, 1},     {1, 1, 5, 1},      {2, 3, 4, 5},     {1, 6, 7, 31},
    {3, 7, 64, 33},   {1, 12, 3, 32},    {2, 13, 257, 17}, {1, 11, 256, 16},
    {1, 65, 70, 67},  {1, 5, 1031, 3},   {1, 1, 300, 97},  {2, 121, 9, 1},
    {1, 241, 30, 65}, {1, 40, 1025, 40}, {1, 30, 2, 1100}, {1, 14, 3101, 33},
};

enum class Right { Rows, Columns };  // how it lies in memory

struct Case {
    Types types;
    GemmShape shape;
    Right right;
    bool constant;
    std::uint64_t bias_count;  // 0, 1 or n
    std::int32_t left_zero;
    std::int32_t right_zero;
};

class Check {
 public:
    explicit Check(const Case& is)
        : is_(is),
          s_(is.shape),
          left_(random_contents(is.types.in, s_.batch * s_.m * s_.k, 1)),
          right_(random_contents(is.types.in, s_.batch * s_.k * s_.n, 2)),
          bias_(random_contents(is.types.out, s_.n, 3)),
          left_numbers_(numbers(is.types.in, left_)),
          right_numbers_(numbers(is.types.in, right_)) {}

    void run() {
        const auto in = *element_of(is_.types.in);
        const auto out = element_of(is_.types.out).value_or(Element::Fp32);
        const Gemm gemm(s_, in, out, is_.constant ? s_.batch * s_.k * s_.n * bytes_of(in) : 0);
        const bool rows = is_.right == Right::Rows;
        const GemmRight right{right_.data(), rows ? s_.n : 1, rows ? 1 : s_.k};
        Memory packed(gemm.packed_bytes(), kCacheLine);
        poison(packed, gemm.packed_bytes());
        if (gemm.packed_ahead()) gemm.pack(right, packed.data());
        Memory scratch(gemm.scratch_bytes(), kCacheLine);
        std::vector<std::byte> result(s_.batch * s_.m * s_.n * 4);
        // From the last unit to the first: none may depend on another.
        for (std::uint64_t unit = gemm.units(); unit-- > 0;) {
            poison(scratch, gemm.scratch_bytes());
            gemm.run({.left = GemmRows(left_.data(), in, s_.k),
                      .right = right,
                      .packed = packed.data(),
                      .out = result.data(),
                      .bias = is_.bias_count == 0 ? nullptr : bias_.data(),
                      .bias_count = is_.bias_count,
                      .left_zero = is_.left_zero,
                      .right_zero = is_.right_zero},
                     unit, unit + 1, scratch.data());
        }
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < s_.batch * s_.m * s_.n; ++i)
            if (!(tosa::is_float(is_.types.in) ? close(i, result) : equal(i, result))) ++wrong;
        CHECK(wrong == 0);
    }

 private:
    [[nodiscard]] std::uint64_t left_at(std::uint64_t i, std::uint64_t k) const {
        return i / s_.n * s_.k + k;
    }
    [[nodiscard]] std::uint64_t right_at(std::uint64_t i, std::uint64_t k) const {
        const std::uint64_t batch = i / s_.n / s_.m * s_.k * s_.n;
        return batch + (is_.right == Right::Rows ? k * s_.n + i % s_.n : i % s_.n * s_.k + k);
    }
    [[nodiscard]] std::uint64_t bias_at(std::uint64_t i) const {
        return is_.bias_count == 1 ? 0 : i % s_.n;
    }

    // Decoded once: each is used many times. A double holds them all.
    static std::vector<double> numbers(DType type, const std::vector<std::byte>& contents) {
        std::vector<double> decoded(contents.size() / tosa::buffer_bytes(type, 1));
        for (std::uint64_t i = 0; i < decoded.size(); ++i)
            decoded[i] = tosa::is_float(type)
                             ? tosa::read_float(type, contents.data(), i)
                             : static_cast<double>(tosa::read_integer(type, contents.data(), i));
        return decoded;
    }

    [[nodiscard]] bool close(std::uint64_t i, const std::vector<std::byte>& result) const {
        double sum = 0;
        double magnitude = 0;
        const auto add = [&](double value) {
            sum += value;
            magnitude += std::abs(value);
        };
        for (std::uint64_t k = 0; k < s_.k; ++k)
            add(left_numbers_[left_at(i, k)] * right_numbers_[right_at(i, k)]);
        if (is_.bias_count > 0) add(tosa::read_float(is_.types.out, bias_.data(), bias_at(i)));
        const int fraction = tosa::float_format(is_.types.out).fraction_bits;
        const double bound = static_cast<double>(s_.k + 64) * std::ldexp(magnitude, -23) +
                             std::ldexp(std::abs(sum), -fraction - 1) * 1.01;
        return std::abs(tosa::read_float(is_.types.out, result.data(), i) - sum) <= bound;
    }

    [[nodiscard]] bool equal(std::uint64_t i, const std::vector<std::byte>& result) const {
        double sum =
            is_.bias_count == 0
                ? 0
                : static_cast<double>(tosa::read_integer(is_.types.out, bias_.data(), bias_at(i)));
        for (std::uint64_t k = 0; k < s_.k; ++k)
            sum += (left_numbers_[left_at(i, k)] - is_.left_zero) *
                   (right_numbers_[right_at(i, k)] - is_.right_zero);
        return static_cast<double>(tosa::read_integer(is_.types.out, result.data(), i)) == sum;
    }

    const Case& is_;
    const GemmShape& s_;
    std::vector<std::byte> left_, right_, bias_;
    std::vector<double> left_numbers_, right_numbers_;
};

void check(const Case& is) {
    const std::string in(name(is.types.in));
    const std::string out(name(is.types.out));
    CAPTURE(in);
    CAPTURE(out);
    CAPTURE(is.shape.batch);
    CAPTURE(is.shape.m);
    CAPTURE(is.shape.k);
    CAPTURE(is.shape.n);
    CAPTURE(is.constant);
    CAPTURE(is.bias_count);
    CAPTURE(is.left_zero);
    CAPTURE(is.right_zero);
    Check(is).run();
}

TEST_CASE("fast products of every shape and type, on every instruction set") {
    on_every_target([] {
        unsigned turn = 0;
        for (const Types& types : kTypes)
            for (const GemmShape& shape : kShapes) {
                // Weights lie in columns; the operand of MATMUL in rows, with no bias.
                const bool zeros = types.in == DType::Int8;
                const std::uint64_t bias = ++turn % 2 == 0 ? 1 : shape.n;
                check({types, shape, Right::Rows, false, 0, zeros ? 17 : 0, zeros ? -128 : 0});
                check({types, shape, Right::Rows, true, 0, zeros ? -128 : 0, zeros ? 127 : 0});
                if (shape.batch != 1) continue;
                check({types, shape, Right::Columns, true, bias, zeros ? 127 : 0, 0});
                check({types, shape, Right::Columns, false, bias, 0, zeros ? 5 : 0});
            }
    });
}

TEST_CASE("fast INT8 products of the largest numbers do not saturate") {
    on_every_target([] {
        const GemmShape shape{1, 7, 1030, 35};
        const std::vector<std::byte> low(shape.m * shape.k, std::byte{0x80});
        const std::vector<std::byte> right(shape.k * shape.n, std::byte{0x80});
        const Gemm gemm(shape, Element::Int8, Element::Fp32, 0);
        Memory scratch(gemm.scratch_bytes(), kCacheLine);
        std::vector<std::int32_t> result(shape.m * shape.n);
        gemm.run({.left = GemmRows(low.data(), Element::Int8, shape.k),
                  .right = {right.data(), shape.n, 1},
                  .packed = nullptr,
                  .out = reinterpret_cast<std::byte*>(result.data()),
                  .bias = nullptr,
                  .bias_count = 0,
                  .left_zero = 127,
                  .right_zero = 127},
                 0, gemm.units(), scratch.data());
        CHECK(std::ranges::all_of(result, [](std::int32_t x) { return x == 1030 * 255 * 255; }));
    });
}

}  // namespace
}  // namespace cpu::test
