// SPDX-License-Identifier: MIT
#include "vulkan/against_cpu.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

const Dims kShapes[] = {{1}, {7}, {2, 3}, {5, 1, 3}, {3, 6, 2, 5}, {300}};

// The shape without an axis, or with one element along it.
Dims reduced(Dims dims, std::size_t axis, bool keeps) {
    if (keeps)
        dims[axis] = 1;
    else
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    return dims;
}

// Over every axis of every shape, with and without NaN.
void check_reduce(AgainstCpu& both, Op op, DType type, bool nan = false,
                  NanMode mode = NanMode::Propagate) {
    CAPTURE(op);
    CAPTURE(type);
    CAPTURE(mode);
    const bool argmax = op == Op::Argmax;
    for (const Dims& dims : kShapes) {
        CAPTURE(dims);
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            CAPTURE(axis);
            Contents in = random_tensor(type, dims, 1);
            if (nan) in = with_nan(in, 2);
            both.check(op, {.axis = static_cast<std::int32_t>(axis), .nan_mode = mode}, {{in}},
                       Contents(argmax ? DType::Int32 : type, reduced(dims, axis, !argmax)));
        }
    }
}

void check_in_both_modes(AgainstCpu& both, Op op, DType type) {
    for (const auto mode : {NanMode::Propagate, NanMode::Ignore})
        check_reduce(both, op, type, true, mode);
    check_reduce(both, op, type);
}

// Of one line.
void check_line(AgainstCpu& both, Op op, NanMode mode, const cpu::test::Reals& values) {
    CAPTURE(op);
    CAPTURE(mode);
    CAPTURE(values);
    const auto length = static_cast<std::int32_t>(values.size());
    both.check(op, {.axis = 1, .nan_mode = mode}, {{Contents(DType::Fp32, {1, length}, values)}},
               op == Op::Argmax ? Contents(DType::Int32, {1}) : Contents(DType::Fp32, {1, 1}));
}

}  // namespace

TEST_SUITE("vulkan/reduce" * doctest::skip(skipped())) {
    TEST_CASE("REDUCE_SUM") {
        AgainstCpu both;
        for (const auto type : {DType::Fp32, DType::Fp16, DType::Int32})
            check_reduce(both, Op::ReduceSum, type);
    }

    TEST_CASE("REDUCE_PRODUCT") {
        AgainstCpu both;
        const cpu::test::Reals values{2, -0.5, 1.5, -1, 4, 0.25};
        for (const auto type : {DType::Fp32, DType::Fp16}) {
            both.check(Op::ReduceProduct, {.axis = 1}, {{Contents(type, {1, 6}, values)}},
                       Contents(type, {1, 1}));
            both.check(Op::ReduceProduct, {.axis = 0}, {{Contents(type, {2, 3}, values)}},
                       Contents(type, {1, 3}));
        }
    }

    TEST_CASE("REDUCE_MAX, REDUCE_MIN") {
        AgainstCpu both;
        for (const auto op : {Op::ReduceMax, Op::ReduceMin}) {
            for (const auto type : {DType::Fp32, DType::Fp16})
                check_in_both_modes(both, op, type);
            for (const auto type : {DType::Int32, DType::Int8})
                check_reduce(both, op, type);
        }
    }

    TEST_CASE("REDUCE_ALL, REDUCE_ANY") {
        AgainstCpu both;
        for (const auto op : {Op::ReduceAll, Op::ReduceAny})
            check_reduce(both, op, DType::Bool);
    }

    TEST_CASE("ARGMAX") {
        AgainstCpu both;
        for (const auto type : {DType::Fp32, DType::Fp16, DType::Fp8E4M3, DType::Fp8E5M2})
            check_in_both_modes(both, Op::Argmax, type);
        check_reduce(both, Op::Argmax, DType::Int8);
    }

    TEST_CASE("NaN, infinities and zeros of both signs") {
        AgainstCpu both;
        for (const auto mode : {NanMode::Propagate, NanMode::Ignore})
            for (const auto op : {Op::Argmax, Op::ReduceMax, Op::ReduceMin}) {
                check_line(both, op, mode, {NAN, NAN, NAN});
                check_line(both, op, mode, {NAN, -INFINITY, -INFINITY});
                check_line(both, op, mode, {-INFINITY, -INFINITY});
                check_line(both, op, mode, {INFINITY, INFINITY, NAN, 1});
                check_line(both, op, mode, {1, NAN, 3, NAN, 3, 2});
                check_line(both, op, mode, {-0.0, 0.0, -0.0});
                check_line(both, op, mode, {0.0, -0.0});
            }
        for (const auto op : {Op::ReduceSum, Op::ReduceProduct}) {
            check_line(both, op, NanMode::Propagate, {-0.0, -0.0});
            check_line(both, op, NanMode::Propagate, {INFINITY, -INFINITY});
            check_line(both, op, NanMode::Propagate, {INFINITY, 1});
            check_line(both, op, NanMode::Propagate, {1, NAN});
        }
    }
}
