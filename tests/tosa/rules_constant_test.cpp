// SPDX-License-Identifier: MIT
//
// Contents of constants: zero points, shifts, multipliers, bounds and RESIZE's scale.
#include <array>
#include <format>
#include <limits>
#include <utility>

#include "tosa/build_test.hpp"
#include "tosa/diagnostic.hpp"
#include "tosa/encoding.hpp"
#include "tosa/single_operator.hpp"

namespace tosa::test {
namespace {

constexpr std::int64_t kMost64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast64 = std::numeric_limits<std::int64_t>::min();
constexpr Target kUnbounded{.profiles = kProfileInteger | kProfileFloat,
                            .level = Level::Unbounded,
                            .extensions = 0x7FF & ~kExtensionDynamic};

// One element of `type` with this bit pattern.
std::vector<std::byte> element(DType type, std::uint64_t bits) {
    const auto all = bytes_of({bits});
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(constant_bytes(type, 1))};
}

void check_zero_points(const SingleOperator& single) {
    for (std::size_t i = 0; i < single.in.size(); ++i) {
        const Operand& operand = single.in[i];
        const bool multiplier = single.op == Op::Rescale && (i == 1 || i == 2);
        if (operand.from != Operand::From::Constant || multiplier) continue;
        CAPTURE(name(single.op));
        CAPTURE(name(operand.type));
        CAPTURE(i);
        const std::string zp(1, static_cast<char>('a' + i));
        const auto put = [&](std::uint64_t bits) {
            SingleOperator other = single;
            other.in[i].data = element(operand.type, bits);
            return other;
        };
        const auto width = 8 * constant_bytes(operand.type, 1);
        for (const std::uint64_t bits :
             {std::uint64_t{1}, std::uint64_t{1} << (width - 2), std::uint64_t{1} << (width - 1)}) {
            const bool sign = bits == std::uint64_t{1} << (width - 1);
            const bool floating = operand.type == DType::Fp32 || operand.type == DType::Fp16 ||
                                  operand.type == DType::Bf16 || operand.type == DType::Fp8E4M3 ||
                                  operand.type == DType::Fp8E5M2;
            if (operand.type == DType::Bool && bits != 1) continue;   // no value of the type
            if (operand.type == DType::Int48 && bits != 1) continue;  // the same
            if (operand.type == DType::Int4 && bits != 1) continue;   // the unused half
            if (operand.type == DType::Int8 || (floating && sign))
                CHECK(accepted(put(bits)));
            else
                check_refused(put(bits), std::format("zero point '{}' is not zero", zp));
        }
        SingleOperator two = single;
        two.in[i].dims = {2};
        check_refused(two, std::format("zero point '{}' has 2 elements", zp));
    }
}

TEST_CASE("zero points are one element, and zero unless they are INT8") {
    using enum DType;
    for (const Types& types :
         {Types{}, Types{Int8, Int8, Int8, Int32}, Types{Int16, Int16, Int8, Int32},
          Types{Fp16, Fp16, Fp16, Fp16}, Types{Bf16, Bf16, Bf16, Fp32},
          Types{Fp8E4M3, Fp8E4M3, Fp8E4M3, Fp16}, Types{Fp8E5M2, Fp8E5M2, Fp8E5M2, Fp16}})
        check_zero_points(valid(Op::AvgPool2d, types));
    for (const Op op : {Op::Conv2d, Op::Conv3d, Op::DepthwiseConv2d, Op::TransposeConv2d})
        for (const Types& types :
             {Types{}, Types{Int8, Int32, Int8, Int32}, Types{Int8, Int32, Int4, Int32},
              Types{Int16, Int48, Int8, Int48}, Types{Fp16, Fp16, Fp16, Fp32},
              Types{Bf16, Bf16, Bf16, Fp32}, Types{Fp8E4M3, Fp16, Fp8E4M3, Fp16}})
            check_zero_points(valid(op, types));
    for (const Types& types : {Types{}, Types{Int8, Int32}, Types{Int16, Int48}, Types{Fp16, Fp32},
                               Types{Bf16, Fp32}, Types{Fp8E5M2, Fp16}})
        check_zero_points(valid(Op::MatMul, types));
    for (const DType type : {Int8, Int16, Int32, Fp16, Fp32, Bf16})
        check_zero_points(valid(Op::Negate, {type, type}));
    for (const DType in : {Int8, Int16, Int32, Int48})
        for (const DType out : {Int8, Int16, Int32})
            check_zero_points(valid(Op::Rescale, {in, out}));
}

TEST_CASE("RESIZE widens integers where it blends them, and nowhere else") {
    using enum DType;
    for (const auto& [in, out] : {std::pair{Int8, Int32}, std::pair{Int16, Int48}}) {
        SingleOperator single = valid(Op::Resize, {in, out});
        CHECK(accepted(single));
        single.fields.mode = 1;
        check_refused(single, std::format("NEAREST does not make {} of {}", name(out), name(in)));
        single = valid(Op::Resize, {in, in});
        single.fields.mode = 2;
        check_refused(single, std::format("BILINEAR does not make {} of {}", name(in), name(in)));
    }
    for (const std::uint32_t mode : {1U, 2U}) {
        SingleOperator single = valid(Op::Resize, {Fp32, Fp32});
        single.fields.mode = mode;
        CHECK(accepted(single));
    }
}

TEST_CASE("PAD's value is one constant element, and any") {
    using enum DType;
    for (const DType type : {Bool, Int8, Int16, Int32, Fp16, Fp32, Bf16, Fp8E4M3, Fp8E5M2}) {
        CAPTURE(name(type));
        SingleOperator single = valid(Op::Pad, {type, type});
        single.in[2].data = element(type, 1);
        CHECK(accepted(single));
        single.in[2] = constant({2}, type);
        check_refused(single, "value 'c' to pad with has 2 elements");
        single.in[2] = {{1}, type};
        check_refused(single, "input 2 'c' is not a constant");
    }
}

SingleOperator rescale(DType in, DType out, bool input_unsigned = false,
                       bool output_unsigned = false) {
    SingleOperator single = valid(Op::Rescale, {in, out});
    single.fields.input_unsigned = input_unsigned;
    single.fields.output_unsigned = output_unsigned;
    return single;
}

TEST_CASE("an unsigned INT16's zero point may be 32768") {
    const auto put = [](SingleOperator single, std::size_t input, std::uint64_t bits) {
        single.in[input].data = element(DType::Int16, bits);
        return single;
    };
    const SingleOperator from = rescale(DType::Int16, DType::Int8, true, false);
    const SingleOperator to = rescale(DType::Int8, DType::Int16, false, true);
    CHECK(accepted(put(from, 3, 0x8000)));
    CHECK(accepted(put(from, 3, 0)));
    CHECK(accepted(put(to, 4, 0x8000)));
    for (const std::uint64_t bits : {0x0001U, 0x7FFFU, 0x8001U, 0xFFFFU}) {
        check_refused(put(from, 3, bits), "zero point 'd' is neither 0 nor 32768");
        check_refused(put(to, 4, bits), "zero point 'e' is neither 0 nor 32768");
    }
    // The other side of the operator is signed.
    const SingleOperator both = rescale(DType::Int16, DType::Int16, true, false);
    CHECK(accepted(put(both, 3, 0x8000)));
    check_refused(put(both, 4, 0x8000), "zero point 'e' is not zero");
    check_refused(put(rescale(DType::Int16, DType::Int16, false, true), 3, 0x8000),
                  "zero point 'd' is not zero");
    check_refused(put(rescale(DType::Int16, DType::Int8), 3, 0x8000), "zero point 'd' is not zero");
}

TEST_CASE("RESCALE's flags go with each other, the types and the target") {
    using enum DType;
    for (const DType in : {Int8, Int16, Int32, Int48})
        for (const DType out : {Int8, Int16, Int32})
            for (const bool from_unsigned : {false, true})
                for (const bool to_unsigned : {false, true}) {
                    const SingleOperator single = rescale(in, out, from_unsigned, to_unsigned);
                    const bool narrow = (in == Int8 || in == Int16) && out != Int32;
                    const std::string types = std::format("{} to {}", name(in), name(out));
                    if (from_unsigned && to_unsigned)
                        check_refused(single, "input and output cannot both be unsigned");
                    else if (from_unsigned && !narrow)
                        check_refused(single, "an unsigned input does not go with " + types);
                    else if (to_unsigned && !narrow)
                        check_refused(single, "an unsigned output does not go with " + types);
                    else
                        CHECK(accepted(single));
                }
}

TEST_CASE("RESCALE's multiplier is as wide as scale32 says") {
    for (const DType in : {DType::Int8, DType::Int16, DType::Int32, DType::Int48})
        for (const bool scale32 : {false, true})
            for (const DType multiplier : {DType::Int8, DType::Int16, DType::Int32, DType::Fp32}) {
                SingleOperator single = rescale(in, DType::Int8);
                single.fields.scale32 = scale32;
                single.in[1] = constant({1}, multiplier);
                const DType right = scale32 ? DType::Int32 : DType::Int16;
                if (multiplier != right)
                    check_refused(single, std::format("its multiplier is {}, not {}",
                                                      name(multiplier), name(right)));
                else if (scale32 && in == DType::Int48)
                    check_refused(single, "scale32 does not go with INT48");
                else
                    CHECK(accepted(single));
            }
}

TEST_CASE("RESCALE's rounding is one of three, of the target and of scale32") {
    const auto rounded = [](std::uint32_t mode, bool scale32 = true) {
        SingleOperator single = rescale(DType::Int8, DType::Int8);
        single.fields.rounding_mode = mode;
        single.fields.scale32 = scale32;
        if (!scale32) single.in[1].type = DType::Int16;
        return single;
    };
    constexpr Target kPlain{.profiles = kProfileInteger};
    for (const bool scale32 : {false, true}) {
        CHECK(accepted(rounded(1, scale32), kPlain));
        CHECK(accepted(rounded(2, scale32)));
        for (const std::uint32_t mode : {0U, 4U, 0xFFFFFFFFU})
            check_refused(rounded(mode, scale32), std::format("{} is no rounding mode", mode));
    }
    CHECK(accepted(rounded(3)));
    check_refused(rounded(3, false), "DOUBLE_ROUND does not go without scale32");
    Target target = kEverything;
    target.extensions &= ~kExtensionDoubleRound;
    CHECK(accepted(rounded(2), target));
    check_refused(rounded(3), "DOUBLE_ROUND needs EXT-DOUBLEROUND", target);
    target = kEverything;
    target.extensions &= ~kExtensionInexactRound;
    CHECK(accepted(rounded(3), target));
    check_refused(rounded(2), "INEXACT_ROUND needs EXT-INEXACTROUND", target);
}

TEST_CASE("RESCALE's multipliers and shifts are in range and one a channel") {
    SingleOperator single = rescale(DType::Int8, DType::Int8);
    for (const int shift : {2, 62}) {
        single.in[2].data = bytes_of({static_cast<char>(shift)});
        CHECK(accepted(single));
    }
    for (const int shift : {-128, -1, 0, 1, 63, 127}) {
        single.in[2].data = bytes_of({static_cast<signed char>(shift)});
        check_refused(single, std::format("shift 0 is {}", shift));
    }
    single = rescale(DType::Int8, DType::Int8);
    single.in[1].data = bytes_of<std::int32_t>({-1});
    check_refused(single, "multiplier 0 is -1");
    single.in[1].data = bytes_of({std::numeric_limits<std::int32_t>::max()});
    CHECK(accepted(single));

    single = rescale(DType::Int8, DType::Int8);
    single.in[1].dims = {3};
    check_refused(single, "multiplier has 3 elements, not 1");
    single.fields.per_channel = true;
    check_refused(single, "shift has 1 elements, not 3");
    single.in[2].dims = {3};
    single.in[2].data = bytes_of<char>({2, 3, 4});
    CHECK(accepted(single));
    single.in[2].data = bytes_of<char>({2, 3, 1});
    check_refused(single, "shift 2 is 1");
    single.in[2].data = bytes_of<char>({2, 3, 4});
    single.in[1].data = bytes_of<std::int32_t>({1, 2, -3});
    check_refused(single, "multiplier 2 is -3");
    single.in[1] = constant({2}, DType::Int32);
    check_refused(single, "multiplier has 2 elements, not 3");

    single = rescale(DType::Int8, DType::Int8);
    single.in[0].dims = single.out[0].dims = {};
    CHECK(accepted(single));
    single.fields.per_channel = true;
    check_refused(single, "a scalar has no channels");
    single = rescale(DType::Int8, DType::Int8);
    single.out[0].dims = {3, 2};
    check_refused(single, "the input has shape [2,3], the output [3,2]");
}

TEST_CASE("that one operator's constants are sound says nothing of the next one's") {
    // As a zero point, "bad" is fine.
    GraphBuilder graph;
    graph.input("in", {2}, DType::Int8).constant("multiplier", {1}, bytes_of({1}), DType::Int32);
    graph.constant("shift", {1}, bytes_of<char>({2}), DType::Int8);
    graph.constant("bad", {1}, bytes_of<char>({1}), DType::Int8);
    for (int i = 0; i < 3; ++i) {
        const std::string out = std::format("out{}", i);
        graph.output(out, {2}, DType::Int8);
        graph.op(Op::Rescale, {"in", "multiplier", "shift", "bad", "bad"}, {out},
                 attribute(Op::Rescale, {}));
    }
    CHECK(build_graph(graph.file(), kEverything).has_value());
    graph.operators.back().inputs[2] = "bad";
    check_refused(graph, GraphError::Kind::Malformed, "operator 5 (RESCALE): shift 0 is 1");
}

TEST_CASE("MUL shifts INT32 only") {
    for (const DType type : {DType::Int8, DType::Int16, DType::Int32, DType::Fp32}) {
        SingleOperator mul =
            valid(Op::Mul, {type, type == DType::Fp32 ? DType::Fp32 : DType::Int32});
        for (const int shift : {0, 1, 63, 64, 127, -1, -128}) {
            mul.in[2].data = bytes_of({static_cast<signed char>(shift)});
            if (shift < 0 || shift > 63)
                check_refused(mul, std::format("shift {} is outside 0 to 63", shift));
            else if (shift != 0 && type != DType::Int32)
                check_refused(
                    mul, std::format("shift {} is not zero, but the inputs are not INT32", shift));
            else
                CHECK(accepted(mul));
        }
    }
}

struct Scale {
    std::int64_t numerator, denominator, offset, border;
    std::int32_t in, out;
    enum { Fits, OutOfRange, Uneven } verdict;
};

TEST_CASE("RESIZE's scale, offset and border are in range and divide exactly") {
    const Scale cases[] = {
        {1, 1, 0, 0, 4, 4, Scale::Fits},
        {4, 2, -1, 1, 4, 8, Scale::Fits},
        {2, 1, 0, 0, 4, 7, Scale::Fits},
        {2, 1, 0, 1, 4, 8, Scale::Fits},
        {1, 3, 0, 0, 4, 2, Scale::Fits},
        {1, 15, 0, -15, 31, 2, Scale::Fits},
        {1, 2, 0, 0, 4, 2, Scale::Uneven},
        {4, 2, -1, 1, 4, 7, Scale::Uneven},
        {4, 2, -1, 0, 4, 8, Scale::Uneven},
        {256, 1, 0, 0, 2, 257, Scale::Fits},
        {257, 1, 0, 0, 2, 258, Scale::OutOfRange},  // enlarges by more than the level's 256
        {2048, 8, 0, 0, 2, 257, Scale::Fits},
        {2048, 7, 0, 0, 8, 2049, Scale::OutOfRange},
        {2049, 2049, 0, 0, 4, 4, Scale::OutOfRange},
        {0, 1, 0, 0, 4, 1, Scale::OutOfRange},
        {1, 0, 0, 0, 4, 4, Scale::OutOfRange},
        {-1, 1, 0, 0, 4, 4, Scale::OutOfRange},
        {1, -1, 0, 0, 4, 4, Scale::OutOfRange},
        {1, 16, 0, 0, 17, 2, Scale::OutOfRange},
        {2, 31, 0, 29, 2, 2, Scale::OutOfRange},  // its border
        {2, 31, 0, -2, 33, 3, Scale::Fits},
        {2, 32, 0, 0, 33, 3, Scale::OutOfRange},
        {2, 1, -2, 0, 4, 9, Scale::Fits},
        {2, 1, -3, 0, 4, 10, Scale::OutOfRange},
        {2, 1, 31, 0, 32, 32, Scale::Fits},
        {2, 1, 32, 0, 32, 31, Scale::OutOfRange},
        {2, 1, 0, -32, 32, 31, Scale::Fits},
        {2, 1, 0, -33, 32, 30, Scale::OutOfRange},
        {2, 1, 0, 2, 4, 9, Scale::OutOfRange},
        {1, 1, 15, -16, 4, 1, Scale::Uneven},  // below zero
        {kMost64, 1, 0, 0, 4, 4, Scale::OutOfRange},
        {kLeast64, 1, 0, 0, 4, 4, Scale::OutOfRange},
        {1, kMost64, 0, 0, 4, 4, Scale::OutOfRange},
        {1, kLeast64, 0, 0, 4, 4, Scale::OutOfRange},
        {1, 1, kMost64, 0, 4, 4, Scale::OutOfRange},
        {1, 1, kLeast64, 0, 4, 4, Scale::OutOfRange},
        {1, 1, 0, kMost64, 4, 4, Scale::OutOfRange},
        {1, 1, 0, kLeast64, 4, 4, Scale::OutOfRange},
        {1, 1, 0, 0, 16383, 16383, Scale::Fits},
    };
    for (const Scale& s : cases)
        for (const std::size_t axis : {0U, 1U}) {
            SingleOperator single = valid(Op::Resize);
            single.fields.mode = 2;
            const auto put = [axis](std::initializer_list<std::int64_t> values,
                                    std::initializer_list<std::int64_t> rest) {
                std::vector<std::int64_t> all(axis == 0 ? values : rest);
                all.insert(all.end(), axis == 0 ? rest : values);
                return shape(all);
            };
            single.in[1] = put({s.numerator, s.denominator}, {1, 1});
            single.in[2] = put({s.offset}, {0});
            single.in[3] = put({s.border}, {0});
            single.in[0].dims = single.out[0].dims = {1, 1, 1, 1};
            single.in[0].dims[1 + axis] = s.in;
            single.out[0].dims[1 + axis] = s.out;
            // Only without a level can a shape hold what overflows.
            const bool huge = std::ranges::any_of(
                std::array{s.numerator, s.denominator, s.offset, s.border},
                [](std::int64_t value) { return value == kMost64 || value == kLeast64; });
            if (s.verdict == Scale::Fits)
                CHECK(accepted(single));
            else if (s.verdict == Scale::OutOfRange)
                check_refused(single,
                              std::format("scale {}/{}, offset {} and border {} are out of range",
                                          s.numerator, s.denominator, s.offset, s.border),
                              huge ? kUnbounded : kEverything);
            else
                check_refused(single, std::format("{} elements at scale {}/{}, offset {} and "
                                                  "border {} do not give {}",
                                                  s.in, s.numerator, s.denominator, s.offset,
                                                  s.border, s.out));
        }
}

TEST_CASE("RESIZE has a mode, and extents below 16384") {
    for (const std::uint32_t mode : {0U, 3U, 0xFFFFFFFFU}) {
        SingleOperator single = valid(Op::Resize);
        single.fields.mode = mode;
        check_refused(single, std::format("{} is no resize mode", mode));
    }
    for (const std::size_t axis : {1U, 2U})
        for (const bool input : {true, false}) {
            SingleOperator single = valid(Op::Resize);
            (input ? single.in[0] : single.out[0]).dims[axis] = 16384;
            check_refused(single, "an extent of 16384 is not below 16384");
        }
    for (const std::size_t axis : {0U, 3U}) {
        SingleOperator single = valid(Op::Resize);
        single.out[0].dims[axis] += 1;
        check_refused(single, std::format("batch or channels of [1,2,2,3] are not those of {}",
                                          text(single.out[0].dims)));
    }
    SingleOperator large = valid(Op::Resize);
    large.in[1] = shape({2048, 1, 1, 1});
    large.in[2] = large.in[3] = shape({0, 0});
    large.out[0].dims = {1, 2049, 2, 3};
    CHECK(accepted(large, kUnbounded));
    CHECK_FALSE(accepted(large));
}

TEST_CASE("a custom operator has its names") {
    for (const Text& none : {Text(), Text("")}) {
        SingleOperator custom = valid(Op::Custom);
        custom.fields.operator_name = none;
        check_refused(custom, "its operator name is empty");
        custom = valid(Op::Custom);
        custom.fields.domain_name = none;
        check_refused(custom, "its domain name is empty");
    }
}

}  // namespace
}  // namespace tosa::test
