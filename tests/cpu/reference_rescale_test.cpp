// SPDX-License-Identifier: MIT
//
// RESCALE against the same arithmetic in 128 bits and with floor division.
#include "cpu/reference_call.hpp"

namespace cpu::test {
namespace {

using enum DType;
using tosa::fbs::RoundingMode;

__extension__ using Wide = __int128;

struct Rescale {
    DType from;
    DType to;
    bool from_unsigned = false;
    bool to_unsigned = false;
    bool scale32 = true;
    RoundingMode rounding = RoundingMode::SINGLE_ROUND;
    double in_zero = 0;
    double out_zero = 0;
    Values multipliers{};  // one, or one for each channel
    Values shifts{};
};

Attribute attribute(const Rescale& how) {
    return [how](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateRescaleAttribute(builder, how.scale32, how.rounding,
                                                 how.multipliers.size() > 1, how.from_unsigned,
                                                 how.to_unsigned)
            .Union();
    };
}

Tensor rescale(const Rescale& how, const Values& in) {
    const auto channels = static_cast<std::int32_t>(how.multipliers.size());
    const Dims dims = {static_cast<std::int32_t>(in.size()) / channels, channels};
    return call(
        Op::Rescale,
        {Tensor(how.from, dims, in), vector(how.scale32 ? Int32 : Int16, how.multipliers),
         vector(Int8, how.shifts), vector(how.from, {how.in_zero}), vector(how.to, {how.out_zero})},
        how.to, dims, attribute(how));
}

Wide floor_divide(Wide a, Wide b) {
    const Wide quotient = a / b;
    return a % b < 0 ? quotient - 1 : quotient;
}

// floor(value * multiplier / 2^shift + 1/2), all twice as large; the first of two roundings
// moves by half of 2^31 / 2^shift, away from zero.
double expected(const Rescale& how, double in, std::size_t channel) {
    const Wide value = static_cast<Wide>(in) - static_cast<Wide>(how.in_zero);
    const auto shift = static_cast<int>(how.shifts[channel]);
    Wide twice = 2 * value * static_cast<Wide>(how.multipliers[channel]) + (Wide{1} << shift);
    if (how.rounding == RoundingMode::DOUBLE_ROUND && shift > 31)
        twice += value < 0 ? -(Wide{1} << 31) : Wide{1} << 31;
    const Wide result =
        floor_divide(twice, Wide{1} << (shift + 1)) + static_cast<Wide>(how.out_zero);
    const int bits = static_cast<int>(8 * tosa::buffer_bytes(how.to, 1));
    const Wide low = how.to_unsigned ? 0 : -(Wide{1} << (bits - 1));
    const Wide high = low + (Wide{1} << bits) - 1;
    auto clipped = static_cast<double>(result < low ? low : result > high ? high : result);
    // Tensors are read back as signed.
    if (how.to_unsigned && clipped >= std::ldexp(1, bits - 1)) clipped -= std::ldexp(1, bits);
    return clipped;
}

void check(const Rescale& how, const Values& in) {
    CAPTURE(tosa::name(how.from));
    CAPTURE(tosa::name(how.to));
    CAPTURE(how.from_unsigned);
    CAPTURE(how.to_unsigned);
    CAPTURE(how.multipliers[0]);
    CAPTURE(how.shifts[0]);
    Values wanted;
    for (std::size_t i = 0; i < in.size(); ++i)
        wanted.push_back(expected(how, in[i], i % how.multipliers.size()));
    check_same(rescale(how, in), wanted);
}

struct Scale {
    double multiplier;
    double shift;
};

// 1, 1/2, 3/4, 3, 2^-10, next to nothing, and zero.
constexpr Scale kScales32[] = {{0x1p30, 30},         {0x1p29, 30}, {0x3p28, 30}, {0x3p29, 29},
                               {0x1p30, 40},         {0x1p30, 31}, {0x3p29, 33}, {0x1p31 - 1, 62},
                               {0x1p30 + 12345, 35}, {0, 32},      {5, 2}};
constexpr Scale kScales16[] = {{0x1p14, 14}, {0x1p13, 14}, {0x3p12, 14}, {0x3p13, 13},
                               {0x1p14, 24}, {32767, 62},  {32767, 33},  {0, 2}};

TEST_CASE("reference: RESCALE to every INT8, ties of both signs") {
    // By a half: every output twice, once as a tie; by an eighth of an odd number: ties only
    // where eighths are halves.
    for (const double zero : {0.0, -3.0, 127.0, -128.0})
        for (const Scale scale : kScales32) {
            Rescale how{Int32, Int8};
            how.out_zero = zero;
            how.multipliers = {scale.multiplier};
            how.shifts = {scale.shift};
            check(how, sequence(-1100, 2201));
            how.rounding = RoundingMode::DOUBLE_ROUND;
            check(how, sequence(-1100, 2201));
            how.rounding = RoundingMode::INEXACT_ROUND;
            check(how, sequence(-1100, 2201));
        }
    Rescale half{Int32, Int8};
    half.multipliers = {0x1p29};
    half.shifts = {30};
    check_same(rescale(half, {-3, -1, 1, 3, -255, -257, 253, 255}),
               {-1, 0, 1, 2, -127, -128, 127, 127});
}

TEST_CASE("reference: RESCALE between all pairs of types, with and without sign") {
    struct Pair {
        DType from;
        DType to;
        bool from_unsigned;
        bool to_unsigned;
    };
    std::vector<Pair> pairs;
    for (const DType from : {Int8, Int16, Int32, Int48})
        for (const DType to : {Int8, Int16, Int32}) {
            const bool narrow_from = from == Int8 || from == Int16;
            pairs.push_back({from, to, false, false});
            // providers.md 1.8.3: neither with an INT32 or INT48 on either side, nor both.
            if (!narrow_from || to == Int32) continue;
            pairs.push_back({from, to, true, false});
            pairs.push_back({from, to, false, true});
        }
    const auto zeros = [](DType type, bool is_unsigned) -> Values {
        if (type == Int8) return is_unsigned ? Values{0, 128, 255} : Values{0, -128, 127};
        if (type == Int16 && is_unsigned) return {0, 32768};
        return {0};
    };
    for (const Pair& pair : pairs) {
        Rescale how{pair.from, pair.to, pair.from_unsigned, pair.to_unsigned};
        const double bits = static_cast<double>(8 * tosa::buffer_bytes(pair.from, 1));
        const double low = pair.from_unsigned ? 0 : -std::exp2(bits - 1);
        // All INT8; of the others about 4000, the ends included.
        const double step = std::fmax(1, std::floor(std::exp2(bits) / 4096));
        Values in = sequence(low, static_cast<std::size_t>(std::exp2(bits) / step), step);
        for (double near_zero = -20; near_zero <= 20; ++near_zero)
            if (near_zero >= low) in.push_back(near_zero);
        in.push_back(low + std::exp2(bits) - 1);
        for (const bool scale32 : {true, false}) {
            if (scale32 && pair.from == Int48) continue;
            how.scale32 = scale32;
            for (const Scale& scale :
                 scale32 ? std::span<const Scale>(kScales32) : std::span<const Scale>(kScales16))
                for (const double in_zero : zeros(pair.from, pair.from_unsigned))
                    for (const double out_zero : zeros(pair.to, pair.to_unsigned)) {
                        how.in_zero = in_zero;
                        how.out_zero = out_zero;
                        how.multipliers = {scale.multiplier};
                        how.shifts = {scale.shift};
                        check(how, in);
                    }
        }
    }
}

TEST_CASE("reference: RESCALE per channel") {
    Rescale how{Int16, Int8};
    how.multipliers = {0x1p30, 0x3p29, 0x1p29};
    how.shifts = {38, 37, 30};
    check(how, sequence(-600, 1200));
    how.scale32 = false;
    how.multipliers = {0x1p14, 0x3p12, 1};
    how.shifts = {14, 20, 2};
    check(how, sequence(-600, 1200));
}

TEST_CASE("reference: double rounding goes away from zero, and only with shifts above 31") {
    // 1.5 * 2^31 / 2^33 is .375: nothing alone, .5 with 2^30 / 2^33 more.
    Rescale how{Int32, Int32};
    how.multipliers = {0x3p29};
    how.shifts = {33};
    check_same(rescale(how, {2, -2, 3, -3}), {0, 0, 1, -1});
    how.rounding = RoundingMode::DOUBLE_ROUND;
    check_same(rescale(how, {2, -2, 3, -3}), {1, 0, 1, -1});
    how.multipliers = {0x1p30};
    how.shifts = {31};
    check_same(rescale(how, {1, -1, 3, -3}), {1, 0, 2, -1});
}

TEST_CASE("reference: RESCALE out of TOSA's bounds saturates") {
    Rescale how{Int32, Int32};
    how.multipliers = {0x1p31 - 1};
    how.shifts = {2};
    check_same(rescale(how, {2147483647, -2147483648.0}), {2147483647, -2147483648.0});
    how.from = Int48;
    how.scale32 = false;
    how.multipliers = {32767};
    check_same(rescale(how, {0x1p47 - 1, -0x1p47}), {2147483647, -2147483648.0});
    // Shifts are brought into 2 to 62.
    how.from = Int32;
    how.multipliers = {4};
    how.shifts = {-7};
    check_same(rescale(how, {9}), {9});
    how.shifts = {100};
    check_same(rescale(how, {9}), {0});
}

}  // namespace
}  // namespace cpu::test
