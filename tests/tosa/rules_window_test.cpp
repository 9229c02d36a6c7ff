// SPDX-License-Identifier: MIT
//
// Pools and convolutions: their lists, limits and exact steps.
#include <limits>

#include "tosa/build_test.hpp"
#include "tosa/diagnostic.hpp"
#include "tosa/single_operator.hpp"

namespace tosa::test {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr Target kUnbounded{.profiles = kProfileFloat, .level = Level::Unbounded};
constexpr Op kPools[] = {Op::AvgPool2d, Op::MaxPool2d};
constexpr Op kConvolutions[] = {Op::Conv2d, Op::Conv3d, Op::DepthwiseConv2d};

using List = std::optional<Dims> Fields::*;

void check_list(const SingleOperator& single, List list, const std::string& name) {
    const std::size_t right = (single.fields.*list)->size();
    CAPTURE(tosa::name(single.op));
    REQUIRE(accepted(single));
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, right - 1, right + 1, std::size_t{1000}}) {
        SingleOperator wrong = single;
        wrong.fields.*list = Dims(size, 1);
        if (size == right) continue;
        check_refused(wrong, std::format("its {} has {} values, not {}", name, size, right));
    }
    SingleOperator absent = single;
    (absent.fields.*list).reset();
    check_refused(absent, std::format("its {} has 0 values, not {}", name, right));
}

TEST_CASE("every list attribute has its number of values") {
    for (const Op op : kPools) {
        check_list(valid(op), &Fields::kernel, "kernel");
        check_list(valid(op), &Fields::stride, "stride");
        check_list(valid(op), &Fields::pad, "pad");
    }
    for (const Op op : kConvolutions) {
        check_list(valid(op), &Fields::pad, "pad");
        check_list(valid(op), &Fields::stride, "stride");
        check_list(valid(op), &Fields::dilation, "dilation");
    }
    check_list(valid(Op::TransposeConv2d), &Fields::out_pad, "out_pad");
    check_list(valid(Op::TransposeConv2d), &Fields::stride, "stride");
    check_list(valid(Op::Transpose), &Fields::perms, "perms");
}

// Every value of a list in turn is spoiled by each of these.
void check_values(const SingleOperator& single, List list, const std::string& name,
                  std::int32_t low, std::int32_t high) {
    const std::size_t size = (single.fields.*list)->size();
    for (const std::int64_t bad :
         {std::int64_t{low} - 1, std::int64_t{high} + 1, std::int64_t{kMost}, std::int64_t{kLeast}})
        for (std::size_t i = 0; i < size; ++i) {
            SingleOperator wrong = single;
            (*(wrong.fields.*list))[i] = static_cast<std::int32_t>(bad);
            CAPTURE(tosa::name(single.op));
            CAPTURE(i);
            check_refused(wrong,
                          std::format("its {} of {} is outside {} to {}", name, bad, low, high));
        }
}

TEST_CASE("kernels, strides, dilations and padding are within the level") {
    for (const Op op : kPools) {
        check_values(valid(op), &Fields::kernel, "kernel", 1, 8192);
        check_values(valid(op), &Fields::stride, "stride", 1, 8192);
        check_values(valid(op), &Fields::pad, "pad", 0, 1);  // less than the kernel
    }
    for (const Op op : kConvolutions) {
        check_values(valid(op), &Fields::pad, "pad", 0, 8192);
        check_values(valid(op), &Fields::stride, "stride", 1, 8192);
        check_values(valid(op), &Fields::dilation, "dilation", 1, 8192);
    }
    check_values(valid(Op::TransposeConv2d), &Fields::stride, "stride", 1, 8192);
    SingleOperator square = valid(Op::TransposeConv2d);
    square.in[1].dims = {3, 3, 3, 2};
    square.out[0].dims = {1, 6, 7, 3};
    check_values(square, &Fields::out_pad, "out_pad", -2, 8192);
}

TEST_CASE("without a level, the largest values neither overflow nor divide by zero") {
    // The lists are filled with one value: that is fine only where it is what was there.
    const auto check = [](const SingleOperator& single, List list) {
        const Dims before = *(single.fields.*list);
        for (const std::int32_t value : {0, -1, 1, kMost, kLeast}) {
            SingleOperator filled = single;
            filled.fields.*list = Dims(before.size(), value);
            CAPTURE(name(single.op));
            CAPTURE(value);
            CHECK(accepted(filled, kUnbounded) == (*(filled.fields.*list) == before));
        }
    };
    for (const Op op : kPools)
        for (const List list : {&Fields::kernel, &Fields::stride, &Fields::pad})
            check(valid(op), list);
    for (const Op op : kConvolutions)
        for (const List list : {&Fields::stride, &Fields::dilation, &Fields::pad})
            check(valid(op), list);
    for (const List list : {&Fields::stride, &Fields::out_pad})
        check(valid(Op::TransposeConv2d), list);
    // A window as large as there is takes a step of its own.
    SingleOperator pool = valid(Op::MaxPool2d);
    pool.fields = {.kernel = Dims{kMost, 4}, .stride = Dims{kMost, 1}, .pad = Dims(4, 0)};
    pool.in[0].dims = {1, kMost, 4, 1};
    pool.out[0].dims = {1, 1, 1, 1};
    CHECK(accepted(pool, kUnbounded));
    pool.fields.pad = Dims{kMost - 1, kMost - 1, 0, 0};
    check_refused(pool,
                  "a kernel of 2147483647, dilated by 1, does not go over 2147483647 elements, "
                  "padded by 2147483646 and 2147483646, in 0 strides of 2147483647",
                  kUnbounded);
}

struct Steps {
    std::int32_t in, kernel, stride, before, after, dilation, out;
    bool fits;
};

constexpr Steps kSteps[] = {
    {4, 2, 2, 0, 0, 1, 2, true},  {5, 2, 2, 0, 0, 1, 2, false}, {5, 2, 2, 1, 0, 1, 3, true},
    {5, 2, 2, 0, 1, 1, 3, true},  {5, 2, 2, 1, 1, 1, 3, false}, {4, 2, 2, 0, 0, 1, 1, false},
    {4, 2, 2, 0, 0, 1, 3, false}, {2, 3, 1, 0, 0, 1, 1, false}, {2, 3, 1, 0, 1, 1, 1, true},
    {3, 3, 7, 0, 0, 1, 1, true},  {1, 4, 1, 0, 0, 1, 1, false}, {10, 4, 3, 0, 0, 1, 3, true},
    {10, 4, 3, 1, 1, 1, 3, false}};
constexpr Steps kDilatedSteps[] = {{5, 2, 1, 0, 0, 4, 1, true},  {4, 2, 1, 0, 0, 4, 1, false},
                                   {7, 3, 2, 0, 0, 2, 2, true},  {8, 3, 2, 0, 0, 2, 2, false},
                                   {7, 3, 2, 9, 9, 2, 11, true}, {7, 3, 2, 9, 9, 2, 10, false}};

std::string no_fit(const Steps& s) {
    return std::format(
        "a kernel of {}, dilated by {}, does not go over {} elements, padded by {} and {}, in {} "
        "strides of {}",
        s.kernel, s.dilation, s.in, s.before, s.after, s.out - 1, s.stride);
}

void check_steps(const SingleOperator& single, const Steps& steps) {
    CAPTURE(name(single.op));
    if (steps.fits)
        CHECK(accepted(single));
    else
        check_refused(single, no_fit(steps));
}

TEST_CASE("windows cover the padded input exactly, along each axis") {
    for (const Steps& s : kSteps)
        for (const Op op : kPools)
            for (const std::size_t axis : {0U, 1U}) {
                SingleOperator single = valid(op);
                single.in[0].dims = {1, 4, 4, 3};
                single.in[0].dims[1 + axis] = s.in;
                single.out[0].dims[1 + axis] = s.out;
                (*single.fields.kernel)[axis] = s.kernel;
                (*single.fields.stride)[axis] = s.stride;
                (*single.fields.pad)[2 * axis] = s.before;
                (*single.fields.pad)[2 * axis + 1] = s.after;
                check_steps(single, s);
            }
    for (const auto& list : {std::span<const Steps>(kSteps), std::span<const Steps>(kDilatedSteps)})
        for (const Steps& s : list)
            for (const Op op : kConvolutions)
                for (std::size_t axis = 0; axis < (op == Op::Conv3d ? 3U : 2U); ++axis) {
                    SingleOperator single = valid(op);
                    single.in[0].dims[1 + axis] = s.in;
                    single.in[1].dims[axis + (op == Op::DepthwiseConv2d ? 0 : 1)] = s.kernel;
                    single.out[0].dims[1 + axis] = s.out;
                    (*single.fields.stride)[axis] = s.stride;
                    (*single.fields.dilation)[axis] = s.dilation;
                    (*single.fields.pad)[2 * axis] = s.before;
                    (*single.fields.pad)[2 * axis + 1] = s.after;
                    check_steps(single, s);
                }
}

TEST_CASE("a dilated kernel is within the level") {
    for (const Op op : kConvolutions) {
        SingleOperator single = valid(op);
        const std::size_t kernel_axis = op == Op::DepthwiseConv2d ? 0 : 1;
        single.in[0].dims[1] = 4097;
        single.in[1].dims[kernel_axis] = 2;
        (*single.fields.dilation)[0] = 4096;
        single.out[0].dims[1] = 1;
        CHECK(accepted(single));
        single.in[0].dims[1] = 4098;
        (*single.fields.dilation)[0] = 4097;
        check_refused(single, "a kernel of 2, dilated by 4097, is larger than 8192");
        CHECK(accepted(single, kUnbounded));
    }
    SingleOperator transposed = valid(Op::TransposeConv2d);
    transposed.in[1].dims[1] = 8193;
    transposed.out[0].dims[1] = 8196;
    check_refused(transposed, "a kernel of 8193, dilated by 1, is larger than 8192");
    transposed.in[1].dims[1] = 8192;
    transposed.out[0].dims[1] = 8195;
    CHECK(accepted(transposed));
}

TEST_CASE("batches, channels and biases fit") {
    for (const Op op : kPools)
        for (const std::size_t axis : {0U, 3U}) {
            SingleOperator single = valid(op);
            single.out[0].dims[axis] += 1;
            check_refused(single, std::format("batch or channels of [1,4,4,3] are not those of {}",
                                              text(single.out[0].dims)));
        }
    for (const Op op : {Op::Conv2d, Op::Conv3d, Op::DepthwiseConv2d, Op::TransposeConv2d}) {
        const SingleOperator good = valid(op);
        const std::size_t rank = good.in[0].dims.size();
        const auto refuse = [&](std::size_t operand, std::size_t axis) {
            SingleOperator bad = good;
            (operand < 2 ? bad.in[operand] : bad.out[0]).dims[axis] += 1;
            check_refused(bad,
                          std::format("{} with weights {} does not give {}", text(bad.in[0].dims),
                                      text(bad.in[1].dims), text(bad.out[0].dims)));
        };
        refuse(0, 0);
        refuse(0, rank - 1);
        refuse(1, rank - 1);
        refuse(1, op == Op::DepthwiseConv2d ? 2 : 0);
        refuse(2, 0);
        refuse(2, rank - 1);
        SingleOperator bias = good;
        bias.in[2].dims = {1};
        CHECK(accepted(bias));
        bias.in[2].dims = {2};
        check_refused(bias,
                      std::format("a bias of 2 is neither 1 nor the {} channels of the output",
                                  good.out[0].dims[rank - 1]));
    }
}

TEST_CASE("DEPTHWISE_CONV2D's channels do not overflow") {
    SingleOperator single = valid(Op::DepthwiseConv2d);
    single.in[0].dims = {1, 1, 1, 65536};
    single.in[1].dims = {1, 1, 65536, 65536};
    single.in[2].dims = {1};
    single.out[0].dims = {1, 1, 1, 1};
    CHECK_FALSE(accepted(single, {.profiles = kProfileFloat, .level = Level::Unbounded}));
}

TEST_CASE("TRANSPOSE_CONV2D's output is as large as its kernels lie apart") {
    struct Case {
        Dims stride, out_pad, out;
        bool fits;
    };
    // Input 4 by 5, kernel 2 by 3.
    const Case cases[] = {
        {{1, 1}, {0, 0, 0, 0}, {5, 7}, true},    {{2, 3}, {0, 0, 0, 0}, {8, 15}, true},
        {{2, 3}, {-1, 0, -2, 0}, {7, 13}, true}, {{2, 3}, {1, 2, 3, 4}, {11, 22}, true},
        {{1, 1}, {0, 0, 0, 0}, {5, 8}, false},   {{1, 1}, {0, 0, 0, 0}, {4, 7}, false},
        {{1, 1}, {0, 1, 0, 0}, {5, 7}, false},   {{1, 1}, {0, 0, 0, 1}, {5, 7}, false},
    };
    for (const auto& [stride, out_pad, out, fits] : cases) {
        SingleOperator single = valid(Op::TransposeConv2d);
        single.fields.stride = stride;
        single.fields.out_pad = out_pad;
        single.out[0].dims = {1, out[0], out[1], 3};
        CHECK(accepted(single) == fits);
    }
    SingleOperator single = valid(Op::TransposeConv2d);
    single.out[0].dims[1] = 6;
    check_refused(single,
                  "a kernel of 2 put down 4 times, strides of 1 apart, with 0 and 0 added, does "
                  "not give 6 elements");
}

}  // namespace
}  // namespace tosa::test
