// SPDX-License-Identifier: MIT
//
// Shapes of operators without windows, axes and permutations.
#include <limits>

#include "tosa/build_test.hpp"
#include "tosa/diagnostic.hpp"
#include "tosa/single_operator.hpp"

namespace tosa::test {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast64 = std::numeric_limits<std::int64_t>::min();
constexpr Target kUnbounded{.profiles = kProfileInteger | kProfileFloat,
                            .level = Level::Unbounded,
                            .extensions = 0x7FF & ~kExtensionDynamic};

Types types_for(Op op) {
    switch (op) {
        case Op::Argmax:
            return {DType::Fp32, DType::Int32};
        case Op::ReduceAll:
        case Op::ReduceAny:
            return {DType::Bool, DType::Bool};
        case Op::Equal:
            return {DType::Fp32, DType::Bool};
        default:
            return {};
    }
}

SingleOperator with(Op op, std::vector<Dims> in, Dims out) {
    SingleOperator single = valid(op, types_for(op));
    for (std::size_t i = 0; i < in.size(); ++i)
        single.in[i].dims = std::move(in[i]);
    single.out[0].dims = std::move(out);
    return single;
}

TEST_CASE("an axis is one of the input's") {
    for (const Op op : {Op::Argmax, Op::ReduceAll, Op::ReduceAny, Op::ReduceMax, Op::ReduceMin,
                        Op::ReduceProduct, Op::ReduceSum, Op::Concat, Op::Reverse})
        for (const std::int32_t axis : {-1, 2, 3, kMost, kLeast}) {
            SingleOperator single = valid(op, types_for(op));
            REQUIRE(accepted(single));
            single.fields.axis = axis;
            CAPTURE(name(op));
            check_refused(single, std::format("axis {} is none of an input of rank 2", axis));
        }
}

TEST_CASE("a NaN mode is one of the two") {
    for (const Op op : {Op::Argmax, Op::MaxPool2d, Op::Clamp, Op::Maximum, Op::Minimum,
                        Op::ReduceMax, Op::ReduceMin}) {
        SingleOperator single = valid(op, types_for(op));
        single.fields.nan_mode = NanMode::Ignore;
        CHECK(accepted(single));
        for (const std::uint32_t mode : {0U, 3U, 0xFFFFFFFFU}) {
            single.fields.nan_mode = NanMode{mode};
            check_refused(single, std::format("{} is no NaN mode", mode));
        }
    }
}

TEST_CASE("elementwise operators with one input keep its shape") {
    for (const Op op : {Op::Tanh, Op::Clamp, Op::Negate, Op::Identity, Op::Reverse}) {
        check_refused(with(op, {{2, 3}}, {3, 2}), "the input has shape [2,3], the output [3,2]");
        if (op != Op::Reverse)
            check_refused(with(op, {{2, 3}}, {2, 3, 1}),
                          "the input has shape [2,3], the output [2,3,1]");
    }
}

struct Broadcast {
    std::vector<Dims> in;
    Dims out;
    bool fits;
};

TEST_CASE("two inputs broadcast, aligned at the right") {
    const Broadcast cases[] = {{{{2, 3}, {2, 3}}, {2, 3}, true},
                               {{{2, 1}, {1, 3}}, {2, 3}, true},
                               {{{3}, {2, 3}}, {2, 3}, true},
                               {{{}, {2, 3}}, {2, 3}, true},
                               {{{}, {}}, {}, true},
                               {{{2, 3}, {2, 1}}, {2, 3}, true},
                               {{{2, 3}, {2, 2}}, {2, 3}, false},
                               {{{2}, {2, 3}}, {2, 3}, false},
                               {{{1}, {1}}, {2}, false},
                               {{{2, 3}, {2, 3}}, {2, 1}, false},
                               {{{3}, {3}}, {1, 3}, false},
                               {{{2, 3}, {3}}, {3}, false},
                               {{{2, 3}, {2, 3}}, {6}, false},
                               {{{}, {}}, {1}, false}};
    for (const auto& [in, out, fits] : cases)
        for (const Op op : {Op::Add, Op::Pow, Op::Maximum, Op::Mul, Op::Equal}) {
            const SingleOperator single = with(op, in, out);
            if (fits)
                CHECK(accepted(single));
            else
                check_refused(single,
                              std::format("inputs of shapes {} and {} do not broadcast to {}",
                                          text(in[0]), text(in[1]), text(out)));
        }
}

TEST_CASE("SELECT broadcasts all three inputs") {
    const Broadcast cases[] = {{{{2, 3}, {2, 3}, {2, 3}}, {2, 3}, true},
                               {{{}, {}, {}}, {}, true},
                               {{{2, 1}, {1, 3}, {}}, {2, 3}, true},
                               {{{1}, {1}, {2, 3}}, {2, 3}, true},
                               {{{4, 1, 1}, {2, 1}, {3}}, {4, 2, 3}, true},
                               {{{2, 3}, {1}, {1}}, {1}, false},
                               {{{2}, {3}, {1}}, {3}, false},
                               {{{3}, {1}, {2}}, {3}, false},
                               {{{2}, {1}, {1}}, {1, 2}, false},
                               {{{1}, {2}, {3}}, {2}, false}};
    for (const auto& [in, out, fits] : cases) {
        const SingleOperator single = with(Op::Select, in, out);
        if (fits)
            CHECK(accepted(single));
        else
            check_refused(single,
                          std::format("inputs of shapes {}, {} and {} do not broadcast to {}",
                                      text(in[0]), text(in[1]), text(in[2]), text(out)));
    }
}

TEST_CASE("MUL's shift is one") {
    SingleOperator mul = valid(Op::Mul);
    mul.in[2].dims = {2};
    check_refused(mul, "its shift has 2 elements, not 1");
}

TEST_CASE("TABLE has an entry for every INT8, and 513 for INT16") {
    SingleOperator table = valid(Op::Table, {DType::Int8, DType::Int8, DType::Int8});
    for (const std::int32_t entries : {1, 255, 257, 513}) {
        table.in[1].dims = {entries};
        check_refused(table, std::format("its table has {} entries, not 256", entries));
    }
    table = valid(Op::Table, {DType::Int16, DType::Int32, DType::Int16});
    for (const std::int32_t entries : {256, 512, 514}) {
        table.in[1].dims = {entries};
        check_refused(table, std::format("its table has {} entries, not 513", entries));
    }
    table.in[1].dims = {513};
    table.out[0].dims = {3, 2};
    check_refused(table, "the input has shape [2,3], the output [3,2]");
}

TEST_CASE("MATMUL multiplies equal batches") {
    const auto refuse = [](Dims a, Dims b, Dims out) {
        const std::string message =
            std::format("{} by {} does not give {}", text(a), text(b), text(out));
        check_refused(with(Op::MatMul, {std::move(a), std::move(b)}, std::move(out)), message);
    };
    refuse({2, 3, 4}, {1, 4, 5}, {2, 3, 5});
    refuse({2, 3, 4}, {2, 5, 4}, {2, 3, 5});
    refuse({2, 3, 4}, {2, 4, 5}, {1, 3, 5});
    refuse({2, 3, 4}, {2, 4, 5}, {2, 4, 5});
    refuse({2, 3, 4}, {2, 4, 5}, {2, 3, 4});
}

TEST_CASE("FFTs have extents of powers of two within the level") {
    const auto fft = [](Op op, std::int32_t height, std::int32_t width) {
        SingleOperator single = valid(op);
        for (Operand& operand : single.in)
            operand.dims = {1, height, width};
        for (Operand& operand : single.out)
            operand.dims = {1, height, op == Op::Fft2d ? width : width / 2 + 1};
        return single;
    };
    for (const Op op : {Op::Fft2d, Op::Rfft2d}) {
        CHECK(accepted(fft(op, 1, 1)));
        CHECK(accepted(fft(op, 8192, 2)));
        CHECK(accepted(fft(op, 2, 8192)));
        CHECK(accepted(fft(op, 16384, 1), kUnbounded));
        for (const std::int32_t bad : {3, 6, 16384, 8191, 8193}) {
            const std::string message =
                std::format("an extent of {} is no power of two up to 8192", bad);
            check_refused(fft(op, bad, 1), message);
            check_refused(fft(op, 1, bad), message);
        }
        CHECK_FALSE(accepted(fft(op, 1, kMost), kUnbounded));
        CHECK(accepted(fft(op, 1, 1 << 30), kUnbounded));
    }
    for (const bool input : {true, false})
        for (const std::size_t axis : {0U, 1U, 2U}) {
            SingleOperator single = valid(Op::Fft2d);
            Operand& spoiled = input ? single.in[1] : single.out[1];
            spoiled.dims[axis] = 2;
            check_refused(single, std::format("{} is not the shape [1,4,8] of the real input",
                                              text(spoiled.dims)));
        }
    for (const std::size_t output : {0U, 1U})
        for (const Dims& dims : {Dims{2, 4, 5}, Dims{1, 8, 5}, Dims{1, 4, 4}, Dims{1, 4, 8}}) {
            SingleOperator single = valid(Op::Rfft2d);
            single.out[output].dims = dims;
            check_refused(single, std::format("[1,4,8] does not give {}", text(dims)));
        }
}

TEST_CASE("ARGMAX removes its axis, REDUCE keeps it with one element") {
    struct Case {
        Op op;
        Dims in;
        std::int32_t axis;
        Dims out;
        bool fits;
    };
    const Case cases[] = {{Op::Argmax, {2, 3, 4}, 0, {3, 4}, true},
                          {Op::Argmax, {2, 3, 4}, 1, {2, 4}, true},
                          {Op::Argmax, {2, 3, 4}, 2, {2, 3}, true},
                          {Op::Argmax, {5}, 0, {}, true},
                          {Op::Argmax, {2, 3, 4}, 1, {2, 3}, false},
                          {Op::Argmax, {2, 3, 4}, 0, {2, 4}, false},
                          {Op::ReduceSum, {2, 3, 4}, 0, {1, 3, 4}, true},
                          {Op::ReduceMax, {2, 3, 4}, 1, {2, 1, 4}, true},
                          {Op::ReduceAll, {2, 3, 4}, 2, {2, 3, 1}, true},
                          {Op::ReduceMin, {5}, 0, {1}, true},
                          {Op::ReduceSum, {2, 3, 4}, 0, {2, 3, 4}, false},
                          {Op::ReduceMax, {2, 3, 4}, 1, {1, 3, 4}, false},
                          {Op::ReduceAny, {2, 3, 4}, 2, {2, 1, 1}, false}};
    for (const auto& [op, in, axis, out, fits] : cases) {
        SingleOperator single = with(op, {in}, out);
        single.fields.axis = axis;
        if (fits)
            CHECK(accepted(single));
        else if (op == Op::Argmax)
            check_refused(single,
                          std::format("{} without axis {} is not {}", text(in), axis, text(out)));
        else
            check_refused(single, std::format("{} reduced along axis {} is not {}", text(in), axis,
                                              text(out)));
    }
}

TEST_CASE("CONCAT sums its axis") {
    const auto concat = [](std::vector<Dims> in, std::int32_t axis, Dims out) {
        SingleOperator single = valid(Op::Concat);
        single.in.clear();
        for (Dims& dims : in)
            single.in.push_back({std::move(dims)});
        single.out[0].dims = std::move(out);
        single.fields.axis = axis;
        return single;
    };
    CHECK(accepted(concat({{2, 3}}, 0, {2, 3})));
    CHECK(accepted(concat({{2, 3}, {4, 3}, {1, 3}}, 0, {7, 3})));
    CHECK(accepted(concat({{2}, {4}}, 0, {6})));
    check_refused(concat({{2, 3}, {4, 3}}, 0, {7, 3}),
                  "its inputs have 6 elements along axis 0, not 7");
    check_refused(concat({{2, 3}, {2, 4}}, 0, {4, 3}),
                  "input 1 of shape [2,4] does not fit into [4,3] along axis 0");
    check_refused(concat({{2, 3}, {2, 3}}, 1, {4, 3}),
                  "input 0 of shape [2,3] does not fit into [4,3] along axis 1");
    CHECK_FALSE(accepted(concat({{kMost}, {kMost}}, 0, {kMost}), kUnbounded));
    CHECK_FALSE(accepted(concat({{kMost}, {kMost}, {kMost}}, 0, {kMost - 2}), kUnbounded));
}

// An operator whose shape operands decide: [2,3] becomes `out`.
struct Moved {
    Op op;
    std::vector<std::vector<std::int64_t>> shapes;
    Dims out;
    std::string error;  // empty: none
};

TEST_CASE("PAD, RESHAPE, SLICE and TILE give what their shapes say") {
    const Moved cases[] = {
        {Op::Pad, {{0, 0, 0, 0}}, {2, 3}, ""},
        {Op::Pad, {{1, 2, 3, 4}}, {5, 10}, ""},
        {Op::Pad, {{1, 2, 3, 4}}, {5, 9}, "[2,3] padded by 3 and 4 along axis 1 is not [5,9]"},
        {Op::Pad, {{1, 0, 0, 0}}, {2, 3}, "[2,3] padded by 1 and 0 along axis 0 is not [2,3]"},
        {Op::Pad, {{-1, 1, 0, 0}}, {2, 3}, "[2,3] padded by -1 and 1 along axis 0 is not [2,3]"},
        {Op::Pad, {{1, -1, 0, 0}}, {2, 3}, "[2,3] padded by 1 and -1 along axis 0 is not [2,3]"},
        {Op::Pad, {{0, 0, 0, -1}}, {2, 2}, "[2,3] padded by 0 and -1 along axis 1 is not [2,2]"},
        {Op::Pad, {{0, 0, 0}}, {2, 3}, "the shape 'b' has 3 values, not 4"},
        {Op::Pad, {{0, 0, 0, 0, 0}}, {2, 3}, "the shape 'b' has 5 values, not 4"},
        {Op::Pad, {{}}, {2, 3}, "the shape 'b' has 0 values, not 4"},
        {Op::Pad,
         {{kMost64, 1, 0, 0}},
         {2, 3},
         "[2,3] padded by 9223372036854775807 and 1 along axis 0 is not [2,3]"},
        {Op::Pad,
         {{kLeast64, kMost64, 0, 0}},
         {2, 3},
         "[2,3] padded by -9223372036854775808 and 9223372036854775807 along axis 0 is not [2,3]"},
        {Op::Reshape, {{6}}, {6}, ""},
        {Op::Reshape, {{3, 2}}, {3, 2}, ""},
        {Op::Reshape, {{1, 1, 6}}, {1, 1, 6}, ""},
        {Op::Reshape, {{-1}}, {6}, "the shape 'b' is not that of the output, [6]"},
        {Op::Reshape, {{3, 2}}, {2, 3}, "the shape 'b' is not that of the output, [2,3]"},
        {Op::Reshape, {{2, 3, 1}}, {2, 3}, "the shape 'b' is not that of the output, [2,3]"},
        {Op::Reshape, {{}}, {6}, "the shape 'b' is not that of the output, [6]"},
        {Op::Reshape, {{7}}, {7}, "[2,3] has not as many elements as [7]"},
        {Op::Slice, {{0, 0}, {2, 3}}, {2, 3}, ""},
        {Op::Slice, {{1, 2}, {1, 1}}, {1, 1}, ""},
        {Op::Slice,
         {{1, 0}, {2, 3}},
         {2, 3},
         "2 elements from 1 on along axis 0 of [2,3] are not [2,3]"},
        {Op::Slice,
         {{0, 0}, {3, 3}},
         {3, 3},
         "3 elements from 0 on along axis 0 of [2,3] are not [3,3]"},
        {Op::Slice,
         {{0, -1}, {2, 3}},
         {2, 3},
         "3 elements from -1 on along axis 1 of [2,3] are not [2,3]"},
        {Op::Slice,
         {{0, 0}, {2, 0}},
         {2, 3},
         "0 elements from 0 on along axis 1 of [2,3] are not [2,3]"},
        {Op::Slice,
         {{0, 0}, {2, 2}},
         {2, 3},
         "2 elements from 0 on along axis 1 of [2,3] are not [2,3]"},
        {Op::Slice, {{0}, {2, 3}}, {2, 3}, "the shape 'b' has 1 values, not 2"},
        {Op::Slice, {{0, 0}, {2, 3, 1}}, {2, 3}, "the shape 'c' has 3 values, not 2"},
        {Op::Slice,
         {{0, kMost64}, {2, 3}},
         {2, 3},
         "3 elements from 9223372036854775807 on along axis 1 of [2,3] are not [2,3]"},
        {Op::Slice,
         {{0, 0}, {2, kLeast64}},
         {2, 3},
         "-9223372036854775808 elements from 0 on along axis 1 of [2,3] are not [2,3]"},
        {Op::Tile, {{1, 1}}, {2, 3}, ""},
        {Op::Tile, {{3, 2}}, {6, 6}, ""},
        {Op::Tile, {{1, 2}}, {2, 3}, "[2,3] repeated 2 times along axis 1 is not [2,3]"},
        {Op::Tile, {{0, 1}}, {2, 3}, "[2,3] repeated 0 times along axis 0 is not [2,3]"},
        {Op::Tile, {{-1, 1}}, {2, 3}, "[2,3] repeated -1 times along axis 0 is not [2,3]"},
        {Op::Tile, {{1}}, {2, 3}, "the shape 'b' has 1 values, not 2"},
        {Op::Tile,
         {{kMost64 / 2 + 2, 1}},
         {2, 3},
         "[2,3] repeated 4611686018427387905 times along axis 0 is not [2,3]"},
    };
    for (const auto& [op, shapes, out, error] : cases) {
        SingleOperator single = valid(op);
        for (std::size_t i = 0; i < shapes.size(); ++i)
            single.in[1 + i] = shape(shapes[i]);
        single.out[0].dims = out;
        CAPTURE(name(op));
        CAPTURE(text(out));
        if (error.empty())
            CHECK(accepted(single, kUnbounded));
        else
            check_refused(single, error, kUnbounded);
    }
}

TEST_CASE("shapes of 64 bits do not overflow") {
    // The products and sums would come out right, but for the bits that they lose.
    SingleOperator tile = with(Op::Tile, {{4}}, {4});
    tile.in[1] = shape({(std::int64_t{1} << 62) + 1});
    CHECK_FALSE(accepted(tile, kUnbounded));
    SingleOperator pad = with(Op::Pad, {{4}}, {1});
    pad.in[1] = shape({kMost64, kMost64});
    CHECK_FALSE(accepted(pad, kUnbounded));
    SingleOperator slice = with(Op::Slice, {{4}}, {1});
    slice.in[1] = slice.in[2] = shape({kMost64});
    CHECK_FALSE(accepted(slice, kUnbounded));
}

TEST_CASE("TRANSPOSE permutes each axis once") {
    const auto transpose = [](Dims in, Dims perms, Dims out) {
        SingleOperator single = with(Op::Transpose, {std::move(in)}, std::move(out));
        single.fields.perms = std::move(perms);
        return single;
    };
    CHECK(accepted(transpose({2, 3, 4}, {2, 0, 1}, {4, 2, 3})));
    CHECK(accepted(transpose({5}, {0}, {5})));
    Dims all(32);
    for (std::int32_t i = 0; i < 32; ++i)
        all[static_cast<std::size_t>(i)] = i;
    CHECK(accepted(transpose(Dims(32, 1), all, Dims(32, 1)), kUnbounded));
    all[31] = 0;
    CHECK_FALSE(accepted(transpose(Dims(32, 1), all, Dims(32, 1)), kUnbounded));
    for (const Dims& perms : {Dims{0, 0}, Dims{1, 1}, Dims{0, 2}, Dims{-1, 0}, Dims{0, 32},
                              Dims{kMost, 0}, Dims{1, kLeast}})
        check_refused(transpose({2, 3}, perms, {3, 2}), "its perms are no permutation of 2 axes");
    check_refused(transpose({2, 3}, {1, 0}, {2, 3}),
                  "[2,3] with axis 1 in place of axis 0 is not [2,3]");
    check_refused(transpose({2, 3, 4}, {2, 0, 1}, {3, 4, 2}),
                  "[2,3,4] with axis 2 in place of axis 0 is not [3,4,2]");
}

TEST_CASE("GATHER and SCATTER have an index for each row") {
    for (const auto& [operand, axis] :
         {std::pair{0U, 0U}, {0U, 2U}, {1U, 0U}, {1U, 1U}, {2U, 0U}, {2U, 1U}, {2U, 2U}}) {
        SingleOperator gather = valid(Op::Gather);
        (operand < 2 ? gather.in[operand] : gather.out[0]).dims[axis] += 1;
        check_refused(gather,
                      std::format("{} at the indices {} does not give {}", text(gather.in[0].dims),
                                  text(gather.in[1].dims), text(gather.out[0].dims)));
    }
    for (std::size_t operand = 0; operand < 4; ++operand)
        for (std::size_t axis = 0; axis < (operand == 1 ? 2U : 3U); ++axis) {
            SingleOperator scatter = valid(Op::Scatter);
            (operand < 3 ? scatter.in[operand] : scatter.out[0]).dims[axis] += 1;
            check_refused(scatter,
                          std::format("{} with {} put at the indices {} does not give {}",
                                      text(scatter.in[0].dims), text(scatter.in[2].dims),
                                      text(scatter.in[1].dims), text(scatter.out[0].dims)));
        }
}

}  // namespace
}  // namespace tosa::test
