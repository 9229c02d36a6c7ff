// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "cpu/tensor_call.hpp"

namespace cpu::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor matmul(const Tensor& a, const Tensor& b, DType out, double a_zero = 0, double b_zero = 0) {
    return call_one(Op::MatMul, empty_attribute, {a, b, one(a.type, a_zero), one(b.type, b_zero)},
                    {out, {a.dims[0], a.dims[1], b.dims[2]}});
}

TEST_CASE("reference MATMUL of the corpus") {
    const Dims left{1, 2, 3};
    const Dims right{1, 3, 2};
    struct Case {
        DType in;
        DType out;
    };
    for (const auto& [in, out] :
         {Case{DType::Fp32, DType::Fp32}, Case{DType::Fp16, DType::Fp16},
          Case{DType::Fp16, DType::Fp32}, Case{DType::Bf16, DType::Fp32},
          Case{DType::Fp8E4M3, DType::Fp16}, Case{DType::Int8, DType::Int32},
          Case{DType::Int16, DType::Int48}}) {
        CAPTURE(static_cast<int>(in));
        const Tensor product =
            matmul({in, left, {1, 2, 3, 4, 5, 6}}, {in, right, {7, 8, 9, 10, 11, 12}}, out);
        CHECK(product.reals() == Reals{58, 64, 139, 154});
        if (out == DType::Fp16) CHECK(product.bits() == Integers{0x5340, 0x5400, 0x5858, 0x58D0});
    }
    CHECK(matmul({DType::Int8, left, {-128, -1, 127, 5, -6, 7}},
                 {DType::Int8, right, {8, -9, 10, 11, 12, -13}}, DType::Int32, -2, 3)
              .reals() == Reals{538, -544, 88, -260});
    CHECK(matmul({DType::Fp16, left, {1, 2, 3, -1, .5, 2}},
                 {DType::Fp16, right, {1, 0, 0, 1, 1, -1}}, DType::Fp16)
              .bits() == Integers{0x4400, 0xBC00, 0x3C00, 0xBE00});
}

TEST_CASE("reference MATMUL takes each batch to its own") {
    const Tensor product = matmul({DType::Fp32, {3, 1, 2}, {1, 2, 3, 4, 5, 6}},
                                  {DType::Fp32, {3, 2, 1}, {1, 1, 10, 1, 100, 1}}, DType::Fp32);
    CHECK(product.reals() == Reals{3, 34, 506});
}

// Float accumulators are double, whatever the output.
TEST_CASE("reference MATMUL overflows only where the sum does, and rounds once") {
    const auto fp16 = [](const Reals& a, const Reals& b, DType out = DType::Fp16) {
        const auto k = static_cast<std::int32_t>(a.size());
        return matmul({DType::Fp16, {1, 1, k}, a}, {DType::Fp16, {1, k, 1}, b}, out).reals()[0];
    };
    CHECK(fp16({60000, 60000, -60000}, {1, 1, 1}) == 60000);
    CHECK(fp16({60000, 60000}, {1, 1}) == kInfinity);
    CHECK(fp16({60000, 60000}, {1, -1}) == 0);
    CHECK(fp16({60000, 60000}, {-2, 1}) == -60000);
    CHECK(fp16({60000, 60000}, {1, 1}, DType::Fp32) == 120000);
    CHECK(fp16({kInfinity, 1}, {1, 1}) == kInfinity);
    CHECK(std::isnan(fp16({kInfinity, 1}, {0, 1})));
    CHECK(std::isnan(fp16({kInfinity, kInfinity}, {1, -1})));
    // 2048 + 1 + 1: in FP16 either addition alone would be lost.
    CHECK(fp16({2048, 1, 1}, {1, 1, 1}) == 2050);
}

TEST_CASE("reference MATMUL of FP8 has the range of FP16") {
    const auto fp8 = [](DType type, const Reals& a, const Reals& b) {
        const auto k = static_cast<std::int32_t>(a.size());
        return matmul({type, {1, 1, k}, a}, {type, {1, k, 1}, b}, DType::Fp16).reals()[0];
    };
    CHECK(fp8(DType::Fp8E4M3, {448, 448}, {128, 16}) == 64512);
    CHECK(fp8(DType::Fp8E4M3, {448}, {448}) == kInfinity);
    CHECK(fp8(DType::Fp8E4M3, {std::ldexp(1, -9)}, {std::ldexp(1, -9)}) == std::ldexp(1, -18));
    CHECK(fp8(DType::Fp8E5M2, {57344, 1}, {1, 1}) == 57344);
    CHECK(std::isnan(fp8(DType::Fp8E5M2, {kInfinity}, {0})));
    CHECK(std::isnan(fp8(DType::Fp8E4M3, {std::nan("")}, {1})));
}

TEST_CASE("reference MATMUL of integers: extremes, and sums that wrap") {
    const auto row = [](DType type, DType out, std::int32_t k, double a, double b) {
        return matmul({type, {1, 1, k}, Reals(static_cast<std::size_t>(k), a)},
                      {type, {1, k, 1}, Reals(static_cast<std::size_t>(k), b)}, out)
            .reals()[0];
    };
    CHECK(row(DType::Int16, DType::Int48, 3, -32768, 32767) == -3.0 * 32768 * 32767);
    CHECK(row(DType::Int16, DType::Int48, 3, -32768, -32768) == 3.0 * 32768 * 32768);
    CHECK(row(DType::Int8, DType::Int32, 131071, -128, -128) == 131071.0 * 16384);
    CHECK(row(DType::Int8, DType::Int32, 131072, -128, -128) == -131072.0 * 16384);
    CHECK(row(DType::Int16, DType::Int48, 131072, -32768, -32768) == -std::ldexp(1, 47));
}

}  // namespace
}  // namespace cpu::test
