// SPDX-License-Identifier: MIT
//
// Elementwise operators of floats that have one right answer (providers.md 2.2). Devices may
// flush subnormal FP32, so FP32 sums and products stay clear of it; selections by bits and
// FP16, whose subnormals are normal where kernels compute, do not.
#include <random>

#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;
using tosa::NanMode;

namespace {

constexpr Op kSelections[] = {Op::Maximum, Op::Minimum};
constexpr Op kComparisons[] = {Op::Equal, Op::Greater, Op::GreaterEqual};
constexpr Op kArithmetic[] = {Op::Add, Op::Sub, Op::Mul};
constexpr Op kExact[] = {Op::Abs, Op::Negate, Op::Ceil, Op::Floor};

const std::vector<std::uint32_t> kSpecial{
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000,
    0x80800000, 0x3EFFFFFF, 0xBF000000, 0x3F7FFFFF, 0x3F800000, 0xBF800000, 0x3FC00000,
    0xBFC00000, 0x40200000, 0x4AFFFFFF, 0xCAFFFFFF, 0x4B000001, 0xCB000001, 0x7F7FFFFF,
    0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001};

// Every pair of special patterns, and random ones.
std::pair<Bytes, Bytes> single_pairs() {
    std::vector<std::uint32_t> a, b;
    for (const auto x : kSpecial)
        for (const auto y : kSpecial) {
            a.push_back(x);
            b.push_back(y);
        }
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i) {
        a.push_back(static_cast<std::uint32_t>(random()));
        b.push_back(static_cast<std::uint32_t>(random()));
    }
    return {bytes_of(a), bytes_of(b)};
}

// The same numbers, and far from everything that is subnormal or overflows.
std::pair<Bytes, Bytes> ordinary_pairs() {
    std::vector<float> a, b;
    std::mt19937 random(2);
    const auto number = [&] {
        const auto exponent = static_cast<std::uint32_t>(127 - 50 + random() % 100) << 23;
        const auto bits = static_cast<std::uint32_t>(random());
        return std::bit_cast<float>((bits & 0x807FFFFF) | exponent);
    };
    for (int i = 0; i < 20000; ++i) {
        a.push_back(number());
        // Often of nearly the same magnitude, so that sums cancel.
        b.push_back(i % 2 != 0 ? number() : a.back() * -1.0000119F);
    }
    for (const float x : {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1.0F, 3.4028235e38F})
        for (const float y : {0.0F, -0.0F, INFINITY, -INFINITY, NAN, -1.0F, 3.4028235e38F}) {
            a.push_back(x);
            b.push_back(y);
        }
    return {bytes_of(a), bytes_of(b)};
}

std::pair<Bytes, Bytes> half_pairs() {
    std::vector<std::uint16_t> a, b;
    std::mt19937 random(3);
    const auto add = [&](std::uint32_t x, std::uint32_t y) {
        a.push_back(static_cast<std::uint16_t>(x));
        b.push_back(static_cast<std::uint16_t>(y));
    };
    const auto small = [&] {
        const auto bits = static_cast<std::uint32_t>(random());
        return (bits & 0x8000) | (bits >> 16) % 0x0C00;
    };
    for (std::uint32_t x = 0; x < 65536; ++x)
        add(x, static_cast<std::uint32_t>(random()));
    // Subnormal results, and around zero and the end.
    for (int i = 0; i < 20000; ++i)
        add(small(), small());
    // providers.md 3.16.
    for (const std::uint32_t x : {0x8001, 0x0001, 0x8000, 0x0000, 0x0002, 0x8002, 0x0400, 0x7BFF})
        for (const std::uint32_t y : {0x8001, 0x0001, 0x8000, 0x0000, 0x3C00, 0x3800, 0xFC00})
            add(x, y);
    return {bytes_of(a), bytes_of(b)};
}

void check_pairs(Oracle& oracle, Op op, DType type, const std::pair<Bytes, Bytes>& pairs,
                 DType made, const Fields& fields = {}) {
    const auto a = vector_of(type, pairs.first), b = vector_of(type, pairs.second);
    oracle.check(op, {a, b}, made, a.dims, fields);
}

Bytes one(DType type, double value) {
    Bytes bytes(tosa::buffer_bytes(type, 1));
    tosa::write_float(type, bytes.data(), 0, value);
    return bytes;
}

}  // namespace

TEST_SUITE("vulkan/elementwise" * doctest::skip(skipped())) {
    TEST_CASE("ADD, SUB and MUL are correctly rounded") {
        Rig rig;
        Oracle oracle(rig);
        for (const Op op : kArithmetic) {
            check_pairs(oracle, op, DType::Fp32, ordinary_pairs(), DType::Fp32);
            check_pairs(oracle, op, DType::Fp16, half_pairs(), DType::Fp16);
        }
    }

    TEST_CASE("FP16 sums and differences of subnormal numbers are exact") {
        Rig rig;
        Oracle oracle(rig);
        const auto run = [&](Op op, const std::vector<std::uint16_t>& x, std::uint16_t c) {
            GraphBuilder builder;
            const auto extent = static_cast<std::int32_t>(x.size());
            builder.input("x", {extent}, DType::Fp16).output("y", {extent}, DType::Fp16);
            builder.constant("c", {1}, bytes_of(std::vector{c}), DType::Fp16);
            builder.op(op, {"x", "c"}, {"y"});
            const auto file = builder.file();
            const auto graph = tosa::build_graph(file, tosa::kFloatTarget);
            REQUIRE(graph);
            return values_of<std::uint16_t>(oracle.on_device(*graph, {bytes_of(x)})[0]);
        };
        using Halves = std::vector<std::uint16_t>;
        CHECK(run(Op::Add, {0x8001, 0x0001, 0x8000, 0x0000}, 0x8001) ==
              Halves{0x8002, 0x0000, 0x8001, 0x8001});
        CHECK(run(Op::Sub, {0x0002, 0x8002, 0x0001}, 0x0001) == Halves{0x0001, 0x8003, 0x0000});
    }

    TEST_CASE("comparisons and selections go by the numbers, signs of zeros and NaN included") {
        Rig rig;
        Oracle oracle(rig);
        const auto singles = single_pairs(), halves = half_pairs();
        for (const auto& [type, pairs] :
             {std::pair(DType::Fp32, &singles), std::pair(DType::Fp16, &halves)}) {
            for (const Op op : kComparisons)
                check_pairs(oracle, op, type, *pairs, DType::Bool);
            for (const Op op : kSelections)
                for (const auto mode : {NanMode::Propagate, NanMode::Ignore})
                    check_pairs(oracle, op, type, *pairs, type, {.nan_mode = mode});
        }
    }

    TEST_CASE("ABS, NEGATE, CEIL and FLOOR are exact for every FP16 and any FP32 pattern") {
        Rig rig;
        Oracle oracle(rig);
        const auto halves = vector_of(DType::Fp16, every(DType::Fp16));
        const auto singles = vector_of(DType::Fp32, single_pairs().first);
        for (const Op op : kExact) {
            oracle.check(op, {halves}, DType::Fp16, halves.dims);
            oracle.check(op, {singles}, DType::Fp32, singles.dims);
        }
    }

    TEST_CASE("CLAMP is exact in both NaN modes") {
        Rig rig;
        Oracle oracle(rig);
        const auto halves = vector_of(DType::Fp16, every(DType::Fp16));
        const auto singles = vector_of(DType::Fp32, single_pairs().first);
        for (const auto mode : {NanMode::Propagate, NanMode::Ignore})
            for (const auto& [low, high] :
                 {std::pair(-1.0, 1.5), std::pair(-0.0, 0x1p-24), std::pair(0.0, 65504.0)}) {
                const auto fields = [&](DType type) {
                    return Fields{
                        .nan_mode = mode, .min_val = one(type, low), .max_val = one(type, high)};
                };
                oracle.check(Op::Clamp, {halves}, DType::Fp16, halves.dims, fields(DType::Fp16));
                oracle.check(Op::Clamp, {singles}, DType::Fp32, singles.dims, fields(DType::Fp32));
            }
    }

    TEST_CASE("SELECT takes any type and broadcasts each of its operands") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto type : {DType::Fp32, DType::Fp16, DType::Int32, DType::Int8, DType::Bool}) {
            const auto filled = [&](std::int32_t count, std::uint32_t first) {
                Bytes bytes(tosa::buffer_bytes(type, static_cast<std::uint64_t>(count)));
                for (std::uint32_t i = 0; i < bytes.size(); ++i)
                    bytes[i] = type == DType::Bool ? std::byte((i + first) % 2)
                                                   : std::byte(1 + (i * 37 + first) % 100);
                return bytes;
            };
            const Bytes truths{std::byte{1}, std::byte{0}, std::byte{1}};
            oracle.check(Op::Select,
                         {{DType::Bool, {3, 1}, truths},
                          {type, {3, 5}, filled(15, 0)},
                          {type, {1, 5}, filled(5, 50)}},
                         type, {3, 5});
        }
    }

    TEST_CASE("a byte other than 0 is true") {
        Rig rig;
        Oracle oracle(rig);
        const auto a = vector_of(DType::Bool, every(DType::Int8));
        Bytes other = every(DType::Int8);
        std::ranges::reverse(other);
        other[0] = other[7] = other[255] = std::byte{0};
        const auto b = vector_of(DType::Bool, other);
        for (const Op op : {Op::LogicalAnd, Op::LogicalOr, Op::LogicalXor})
            oracle.check(op, {a, b}, DType::Bool, a.dims);
        oracle.check(Op::LogicalNot, {a}, DType::Bool, a.dims);
    }
}
