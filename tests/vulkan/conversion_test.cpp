// SPDX-License-Identifier: MIT
//
// Floating-point formats into each other (providers.md 2.3 and 3.11).
#include <cmath>

#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

// Binary32 around every boundary of a narrower format: its numbers, what lies half-way to the
// next, and the neighbours of both.
Bytes around(DType narrow) {
    std::vector<std::uint32_t> patterns{0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001,
                                        0x7F7FFFFF, 0xFF7FFFFF, 0x00000001, 0x807FFFFF, 0x00800000};
    const auto bits = static_cast<unsigned>(tosa::float_format(narrow).bits());
    for (std::uint32_t encoding = 0; encoding < (1U << bits); ++encoding) {
        const double here = tosa::decode_float(narrow, encoding);
        double next = tosa::decode_float(narrow, encoding + 1);
        if (!std::isfinite(here)) continue;
        // After the largest number comes what would be the next, were there one.
        if (!std::isfinite(next)) next = here + (here - tosa::decode_float(narrow, encoding - 1));
        for (const double value : {here, (here + next) / 2}) {
            const auto pattern = std::bit_cast<std::uint32_t>(static_cast<float>(value));
            const std::uint32_t below = (pattern & 0x7FFFFFFF) == 0 ? pattern : pattern - 1;
            patterns.insert(patterns.end(), {pattern, below, pattern + 1});
        }
    }
    return bytes_of(patterns);
}

void check_cast(Oracle& oracle, DType from, DType to, const Bytes& values) {
    const auto operand = vector_of(from, values);
    oracle.check(Op::Cast, {operand}, to, operand.dims);
}

}  // namespace

TEST_SUITE("vulkan/conversion" * doctest::skip(skipped())) {
    TEST_CASE("every FP16 and FP8 pattern widens exactly") {
        Rig rig;
        Oracle oracle(rig);
        check_cast(oracle, DType::Fp16, DType::Fp32, every(DType::Fp16));
        for (const auto type : {DType::Fp8E4M3, DType::Fp8E5M2}) {
            check_cast(oracle, type, DType::Fp16, every(type));
            check_cast(oracle, type, DType::Fp32, every(type));
        }
    }

    TEST_CASE("narrowing rounds to the nearest, ties to even, on both sides of every boundary") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto type : {DType::Fp16, DType::Fp8E4M3, DType::Fp8E5M2})
            check_cast(oracle, DType::Fp32, type, around(type));
        check_cast(oracle, DType::Fp16, DType::Fp8E4M3, every(DType::Fp16));
        check_cast(oracle, DType::Fp16, DType::Fp8E5M2, every(DType::Fp16));
    }

    TEST_CASE("integers and BOOL are cast to each other") {
        Rig rig;
        Oracle oracle(rig);
        std::vector<std::int32_t> numbers{INT32_MIN, INT32_MAX, 0x12345678, 256, -256};
        for (std::int32_t i = -300; i <= 300; ++i)
            numbers.push_back(i);
        check_cast(oracle, DType::Int32, DType::Int8, bytes_of(numbers));
        check_cast(oracle, DType::Int32, DType::Bool, bytes_of(numbers));
        check_cast(oracle, DType::Int8, DType::Int32, every(DType::Int8));
        check_cast(oracle, DType::Int8, DType::Bool, every(DType::Int8));
        const Bytes truths{std::byte{0}, std::byte{1}, std::byte{1}};
        check_cast(oracle, DType::Bool, DType::Int8, truths);
        check_cast(oracle, DType::Bool, DType::Int32, truths);
    }
}
