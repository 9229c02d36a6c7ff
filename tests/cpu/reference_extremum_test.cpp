// SPDX-License-Identifier: MIT
//
// Everything that looks for the larger or smaller number: NaN modes, zeros of both signs.
#include <algorithm>

#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

constexpr NanMode kModes[] = {NanMode::Propagate, NanMode::Ignore};
constexpr DType kFloats[] = {DType::Fp32, DType::Fp16, DType::Bf16};
constexpr DType kNarrowFloats[] = {DType::Fp32, DType::Fp16, DType::Bf16, DType::Fp8E4M3,
                                   DType::Fp8E5M2};

double expected_extremum(double a, double b, bool max, NanMode mode) {
    if (std::isnan(a) || std::isnan(b))
        return mode == NanMode::Propagate ? kNan : std::isnan(a) ? b : a;
    if (a == b) return max ? a : b;  // matters where both are zero
    return max == (a > b) ? a : b;
}

TEST_CASE("reference: MAXIMUM and MINIMUM of every pair of special numbers") {
    const Values values = {-kInfinity, -2, -0.0, 0.0, 1, kInfinity, kNan};
    const auto n = static_cast<std::int32_t>(values.size());
    for (const DType type : kFloats)
        for (const NanMode mode : kModes)
            for (const bool max : {true, false}) {
                Values expected;
                for (const double a : values)
                    for (const double b : values)
                        expected.push_back(expected_extremum(a, b, max, mode));
                check_same(call(max ? Op::Maximum : Op::Minimum,
                                {Tensor(type, {n, 1}, values), Tensor(type, {1, n}, values)}, type,
                                {n, n}, nan_attribute(mode)),
                           expected);
            }
}

TEST_CASE("reference: CLAMP in both NaN modes") {
    struct Case {
        double low;
        double high;
        Values expected;  // of the numbers below; NaN becomes NaN or the lower bound
    };
    const Values in = {-kInfinity, -2, -1, -0.0, 0.0, .5, 1, 2, kInfinity, kNan};
    const Case cases[] = {
        {-1, 1, {-1, -1, -1, -0.0, 0.0, .5, 1, 1, 1}},
        {-kInfinity, kInfinity, {-kInfinity, -2, -1, -0.0, 0.0, .5, 1, 2, kInfinity}},
        // Equal numbers keep the value at the lower bound, and the bound at the upper one.
        {0.0, 0.0, {0, 0, 0, 0.0, 0, 0, 0, 0, 0}},
        {-0.0, 2, {-0.0, -0.0, -0.0, -0.0, 0.0, .5, 1, 2, 2}},
        {2, 2, {2, 2, 2, 2, 2, 2, 2, 2, 2}},
        {kInfinity, kInfinity, Values(9, kInfinity)},
    };
    for (const DType type : kFloats)
        for (const NanMode mode : kModes)
            for (const Case& each : cases) {
                CAPTURE(each.low);
                Values expected = each.expected;
                expected.push_back(mode == NanMode::Propagate ? kNan : each.low);
                check_same(map(Op::Clamp, vector(type, in),
                               clamp_attribute(type, each.low, each.high, mode)),
                           expected);
            }
    // One after the other with different modes.
    const auto ignore = clamp_attribute(DType::Fp32, -1, 1, NanMode::Ignore);
    const auto propagate = clamp_attribute(DType::Fp32, 0, 1, NanMode::Propagate);
    const Tensor nan = vector(DType::Fp32, {kNan});
    check_same(map(Op::Clamp, map(Op::Clamp, nan, ignore), propagate), {0});
    check_same(map(Op::Clamp, map(Op::Clamp, nan, propagate), ignore), {-1});
    // Integers have no NaN: the mode does not matter.
    for (const NanMode mode : kModes) {
        check_same(map(Op::Clamp, vector(DType::Int8, {-128, -3, 0, 5, 127}),
                       clamp_attribute(DType::Int8, -3, 5, mode)),
                   {-3, -3, 0, 5, 5});
        check_same(map(Op::Clamp, vector(DType::Int16, {-32768, -300, 32767}),
                       clamp_attribute(DType::Int16, -32768, 300, mode)),
                   {-32768, -300, 300});
    }
}

// Row `mask` of 16: the four numbers, with NaN where a bit of the mask is set.
constexpr double kNumbers[] = {1, 3, 2, 3};

Values masked() {
    Values values;
    for (unsigned mask = 0; mask < 16; ++mask)
        for (unsigned i = 0; i < 4; ++i)
            values.push_back((mask >> i & 1) != 0 ? kNan : kNumbers[i]);
    return values;
}

Values transposed(const Values& rows) {
    Values columns(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        columns[i % 4 * 16 + i / 4] = rows[i];
    return columns;
}

double expected_index(unsigned mask, NanMode mode) {
    if (mode == NanMode::Propagate && mask != 0) return std::countr_zero(mask);
    double best = 0;
    double number = -kInfinity;
    for (unsigned i = 0; i < 4; ++i)
        if ((mask >> i & 1) == 0 && kNumbers[i] > number) {
            best = i;
            number = kNumbers[i];
        }
    return best;
}

TEST_CASE("reference: ARGMAX, REDUCE_MAX and REDUCE_MIN with NaN in every place") {
    const Values rows = masked();
    for (const NanMode mode : kModes) {
        Values index;
        Values largest;
        Values smallest;
        for (unsigned mask = 0; mask < 16; ++mask) {
            index.push_back(expected_index(mask, mode));
            double max = kNan;
            double min = kNan;
            for (unsigned i = 0; i < 4 && (mode == NanMode::Ignore || mask == 0); ++i)
                if ((mask >> i & 1) == 0) {
                    max = std::fmax(max, kNumbers[i]);
                    min = std::fmin(min, kNumbers[i]);
                }
            largest.push_back(max);
            smallest.push_back(min);
        }
        for (const DType type : kNarrowFloats) {
            CAPTURE(tosa::name(type));
            const Tensor along_rows = Tensor(type, {16, 4}, rows);
            const Tensor along_columns = Tensor(type, {4, 16}, transposed(rows));
            const Attribute inner = axis_attribute(1, mode);
            const Attribute outer = axis_attribute(0, mode);
            check_same(call(Op::Argmax, {along_rows}, DType::Int32, {16}, inner), index);
            check_same(call(Op::Argmax, {along_columns}, DType::Int32, {16}, outer), index);
            check_same(call(Op::ReduceMax, {along_rows}, type, {16, 1}, inner), largest);
            check_same(call(Op::ReduceMax, {along_columns}, type, {1, 16}, outer), largest);
            check_same(call(Op::ReduceMin, {along_rows}, type, {16, 1}, inner), smallest);
            check_same(call(Op::ReduceMin, {along_columns}, type, {1, 16}, outer), smallest);
        }
    }
}

TEST_CASE("reference: the first of equal maxima counts; zeros and infinities") {
    const auto argmax = [](DType type, const Values& values, NanMode mode = NanMode::Propagate) {
        return call(Op::Argmax, {vector(type, values)}, DType::Int32, {}, axis_attribute(0, mode));
    };
    for (const NanMode mode : kModes) {
        check_same(argmax(DType::Fp32, {-0.0, 0.0}, mode), {0});
        check_same(argmax(DType::Fp32, {-kInfinity, -kInfinity}, mode), {0});
        check_same(argmax(DType::Fp32, {-kInfinity, -1, kInfinity, kInfinity}, mode), {2});
    }
    check_same(argmax(DType::Fp32, {kNan, -kInfinity}, NanMode::Ignore), {1});
    check_same(argmax(DType::Int8, {-128, -128}), {0});
    check_same(argmax(DType::Int8, {-128, 127, 127}), {1});
    check_same(argmax(DType::Int16, {-32768, -32767, -32768}), {1});

    const auto reduce = [](Op op, DType type, const Values& values) {
        return call(op, {vector(type, values)}, type, {1}, axis_attribute(0));
    };
    check_same(reduce(Op::ReduceMax, DType::Fp32, {-0.0, 0.0}), {-0.0});
    check_same(reduce(Op::ReduceMin, DType::Fp32, {-0.0, 0.0}), {0.0});
    check_same(reduce(Op::ReduceMax, DType::Fp16, {-kInfinity, -kInfinity}), {-kInfinity});
    check_same(reduce(Op::ReduceMin, DType::Bf16, {kInfinity, kInfinity}), {kInfinity});
    check_same(reduce(Op::ReduceMax, DType::Int8, {-128, -127, -128}), {-127});
    check_same(reduce(Op::ReduceMin, DType::Int16, {32767, -32768, 5}), {-32768});
    check_same(reduce(Op::ReduceMax, DType::Int32, {-5, 2147483647}), {2147483647});
}

}  // namespace
}  // namespace cpu::test
