// SPDX-License-Identifier: MIT
//
// Integers are the same on every provider to the bit.
#include <random>

#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

using Integers = std::vector<std::int64_t>;

Bytes encoded(DType type, const Integers& values) {
    Bytes bytes(tosa::constant_bytes(type, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        tosa::write_integer(type, bytes.data(), i, values[i]);
    return bytes;
}

// Numbers of INT32 where something ends, and others.
Integers numbers(unsigned seed) {
    Integers values;
    for (const std::int64_t x : {0LL, 1LL, 2LL, 127LL, 128LL, 255LL, 65535LL, 65536LL, 1LL << 30,
                                 (1LL << 31) - 1, 1LL << 31})
        for (const std::int64_t y : {x, -x, x - 1, 1 - x})
            values.push_back(y);
    std::mt19937 random(seed);
    while (values.size() < 1500)
        values.push_back(static_cast<std::int32_t>(random()) >> random() % 32);
    return values;
}

// Each with each, of a short list.
std::pair<Oracle::Operand, Oracle::Operand> pairs(DType type) {
    Integers some = numbers(1), other = numbers(2), a, b;
    some.resize(70);
    other.resize(70);
    for (const auto x : some)
        for (const auto y : other) {
            a.push_back(x);
            b.push_back(y);
        }
    return {vector_of(type, encoded(type, a)), vector_of(type, encoded(type, b))};
}

void check_pairs(Oracle& oracle, Op op, DType type, DType made, const Fields& fields = {}) {
    const auto [a, b] = pairs(type);
    oracle.check(op, {a, b}, made, a.dims, fields);
}

struct Rescale {
    DType from, to;
    Integers multipliers, shifts;
    std::int64_t in_zero = 0, out_zero = 0;
    Fields fields{};
};

// Of all bytes, or of numbers(), for one channel or as many as there are multipliers.
void check_rescale(Oracle& oracle, Rescale rescale) {
    CAPTURE(rescale.multipliers.front());
    CAPTURE(rescale.shifts.front());
    Bytes contents =
        rescale.from == DType::Int8 ? every(DType::Int8) : encoded(DType::Int32, numbers(3));
    const auto channels = static_cast<std::int32_t>(rescale.multipliers.size());
    auto rows = vector_of(rescale.from, contents).dims[0] / channels;
    contents.resize(static_cast<std::size_t>(rows * channels) *
                    tosa::buffer_bytes(rescale.from, 1));
    const Dims dims{rows, channels};
    GraphBuilder graph;
    graph.input("x", dims, rescale.from).output("y", dims, rescale.to);
    graph.constant("m", {channels}, encoded(DType::Int32, rescale.multipliers), DType::Int32);
    graph.constant("s", {channels}, encoded(DType::Int8, rescale.shifts), DType::Int8);
    graph.constant("i", {1}, encoded(rescale.from, {rescale.in_zero}), rescale.from);
    graph.constant("o", {1}, encoded(rescale.to, {rescale.out_zero}), rescale.to);
    rescale.fields.per_channel = channels > 1;
    graph.op(Op::Rescale, {"x", "m", "s", "i", "o"}, {"y"}, attribute(Op::Rescale, rescale.fields));
    oracle.check(graph, {contents});
}

}  // namespace

TEST_SUITE("vulkan/integer" * doctest::skip(skipped())) {
    TEST_CASE("sums, differences and selections of INT32") {
        Rig rig;
        Oracle oracle(rig);
        for (const Op op : {Op::Add, Op::Sub, Op::Maximum, Op::Minimum})
            check_pairs(oracle, op, DType::Int32, DType::Int32);
        for (const Op op : {Op::Equal, Op::Greater, Op::GreaterEqual})
            check_pairs(oracle, op, DType::Int32, DType::Bool);
    }

    TEST_CASE("MUL of INT8 and of INT32 by every shift, the largest product included") {
        Rig rig;
        Oracle oracle(rig);
        check_pairs(oracle, Op::Mul, DType::Int8, DType::Int32);
        const auto [a, b] = pairs(DType::Int32);
        for (std::int64_t shift = 0; shift < 64; shift += shift == 2 || shift == 34 ? 28 : 1) {
            CAPTURE(shift);
            GraphBuilder graph;
            graph.input("a", a.dims, DType::Int32).input("b", b.dims, DType::Int32);
            graph.output("c", a.dims, DType::Int32);
            graph.constant("s", {1}, encoded(DType::Int8, {shift}), DType::Int8);
            graph.op(Op::Mul, {"a", "b", "s"}, {"c"});
            oracle.check(graph, {a.contents, b.contents});
        }
    }

    TEST_CASE("bits and shifts of both widths") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto type : {DType::Int8, DType::Int32}) {
            for (const Op op : {Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor, Op::LogicalLeftShift,
                                Op::LogicalRightShift})
                check_pairs(oracle, op, type, type);
            for (const bool round : {false, true})
                check_pairs(oracle, Op::ArithmeticRightShift, type, type, {.round = round});
            const auto a = pairs(type).first;
            oracle.check(Op::BitwiseNot, {a}, type, a.dims);
        }
        const auto a = pairs(DType::Int32).first;
        oracle.check(Op::Clz, {a}, DType::Int32, a.dims);
        oracle.check(Op::Abs, {a}, DType::Int32, a.dims);
    }

    TEST_CASE("NEGATE saturates and CLAMP selects") {
        Rig rig;
        Oracle oracle(rig);
        for (const auto& [in_zero, out_zero] :
             {std::pair(0, 0), std::pair(5, -7), std::pair(-128, 127), std::pair(127, 127)}) {
            GraphBuilder graph;
            graph.input("x", {256}, DType::Int8).output("y", {256}, DType::Int8);
            graph.constant("i", {1}, encoded(DType::Int8, {in_zero}), DType::Int8);
            graph.constant("o", {1}, encoded(DType::Int8, {out_zero}), DType::Int8);
            graph.op(Op::Negate, {"x", "i", "o"}, {"y"});
            oracle.check(graph, {every(DType::Int8)});
        }
        const auto a = pairs(DType::Int32).first;
        oracle.check(Op::Negate, {a}, DType::Int32, a.dims);
        const auto bytes = vector_of(DType::Int8, every(DType::Int8));
        oracle.check(
            Op::Clamp, {bytes}, DType::Int8, bytes.dims,
            {.min_val = encoded(DType::Int8, {-100}), .max_val = encoded(DType::Int8, {99})});
    }

    TEST_CASE("TABLE of every INT8 index") {
        Rig rig;
        Oracle oracle(rig);
        Bytes table = every(DType::Int8);
        for (std::size_t i = 0; i < table.size(); ++i)
            table[i] = std::byte((i * 167 + 13) & 0xFF);
        GraphBuilder graph;
        graph.input("x", {256}, DType::Int8).output("y", {256}, DType::Int8);
        graph.constant("t", {256}, table, DType::Int8).op(Op::Table, {"x", "t"}, {"y"});
        oracle.check(graph, {every(DType::Int8)});
    }

    TEST_CASE("RESCALE by every shift, rounding once and twice") {
        Rig rig;
        Oracle oracle(rig);
        for (const std::uint32_t mode : {1U, 3U})
            for (const std::int64_t shift : {2, 3, 17, 30, 31, 32, 33, 38, 47, 61, 62})
                for (const std::int64_t multiplier : {1LL << 30, (1LL << 31) - 1, 1'234'567'891LL})
                    check_rescale(oracle, {.from = DType::Int32,
                                           .to = DType::Int32,
                                           .multipliers = {multiplier},
                                           .shifts = {shift},
                                           .fields = {.rounding_mode = mode}});
    }

    TEST_CASE("RESCALE between INT8 and INT32, of either sign, per tensor and per channel") {
        Rig rig;
        Oracle oracle(rig);
        const Integers one_multiplier{1 << 30}, multipliers{1 << 30, 1'500'000'000, 1'100'000'001};
        const Integers one_shift{33}, shifts{31, 36, 45}, far{52};
        for (const bool from_unsigned : {false, true})
            for (const bool to_unsigned : {false, !from_unsigned})
                check_rescale(oracle, {.from = DType::Int8,
                                       .to = DType::Int8,
                                       .multipliers = multipliers,
                                       .shifts = shifts,
                                       .in_zero = from_unsigned ? 200 : -3,
                                       .out_zero = to_unsigned ? 130 : 17,
                                       .fields = {.input_unsigned = from_unsigned,
                                                  .output_unsigned = to_unsigned}});
        check_rescale(oracle, {.from = DType::Int8,
                               .to = DType::Int32,
                               .multipliers = multipliers,
                               .shifts = {2, 10, 30},
                               .in_zero = -128});
        for (const auto& list : {one_shift, far})
            check_rescale(oracle, {.from = DType::Int32,
                                   .to = DType::Int8,
                                   .multipliers = one_multiplier,
                                   .shifts = list,
                                   .out_zero = -128});
    }
}
