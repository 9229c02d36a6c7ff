// SPDX-License-Identifier: MIT
#include "vulkan/against_cpu.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

// Lines of 512 and more are folded by workgroups, even ones of 8192 and more in slices.
const Dims kShapes[] = {{1},          {7},     {2, 3},    {5, 1, 3},   {3, 6, 2, 5},
                        {300},        {511},   {3, 512},  {5, 700, 1}, {2, 1025, 3},
                        {2, 8192, 3}, {16386}, {3, 16385}};

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

// A long line of zeros, some of which are of the other sign.
cpu::test::Reals zeros_but(double zero, std::initializer_list<std::size_t> others) {
    cpu::test::Reals line(600, zero);
    for (const std::size_t at : others)
        line[at] = -zero;
    return line;
}

cpu::test::Reals line_with(double value, std::initializer_list<std::size_t> at) {
    cpu::test::Reals line(600);
    for (std::size_t i = 0; i < line.size(); ++i)
        line[i] = static_cast<double>(i % 7) - 3;
    for (const std::size_t i : at)
        line[i] = value;
    return line;
}

// The sum of each line, then some more.
GraphBuilder sum_and_scale(const Dims& dims) {
    const Dims sums{dims[0], 1};
    GraphBuilder graph;
    graph.input("x", dims).tensor("s", sums).tensor("t", sums).output("y", sums);
    graph.constant("k", {1, 1}, bytes_of(Floats{0.25F}));
    graph.op(Op::ReduceSum, {"x"}, {"s"}, attribute(Op::ReduceSum, {.axis = 1}));
    graph.op(Op::Add, {"s", "k"}, {"t"})
        .op(Op::Maximum, {"t", "k"}, {"y"}, attribute(Op::Maximum, {}));
    return graph;
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

    TEST_CASE("NaN, infinities and zeros of both signs, of lines that a workgroup folds") {
        AgainstCpu both;
        for (const auto mode : {NanMode::Propagate, NanMode::Ignore})
            for (const auto op : {Op::Argmax, Op::ReduceMax, Op::ReduceMin}) {
                for (const double value : {double{NAN}, double{INFINITY}, -double{INFINITY}, 9.0}) {
                    check_line(both, op, mode, line_with(value, {599}));
                    check_line(both, op, mode,
                               line_with(value, {3, 259, 515}));  // one invocation's
                    check_line(both, op, mode, line_with(value, {130, 258, 513}));
                }
                check_line(both, op, mode, cpu::test::Reals(600, NAN));
                for (const double zero : {0.0, -0.0}) {
                    check_line(both, op, mode, zeros_but(zero, {0}));
                    check_line(both, op, mode, zeros_but(zero, {256}));
                    check_line(both, op, mode, zeros_but(zero, {1, 300, 599}));
                }
            }
        const auto op = Op::ReduceSum;
        check_line(both, op, NanMode::Propagate, cpu::test::Reals(600, -0.0));
        check_line(both, op, NanMode::Propagate, line_with(NAN, {400}));
        check_line(both, op, NanMode::Propagate, line_with(INFINITY, {1, 599}));
        cpu::test::Reals line = line_with(INFINITY, {1});
        line[599] = -INFINITY;
        check_line(both, op, NanMode::Propagate, line);
    }

    TEST_CASE("a product is folded in ascending order, in which it leaves the range of floats") {
        Floats line(600, 1);
        line[0] = line[1] = 0x1p-100F;
        line[256] = line[257] = 0x1p100F;
        GraphBuilder graph;
        graph.input("x", {600}).output("y", {1});
        graph.op(Op::ReduceProduct, {"x"}, {"y"}, attribute(Op::ReduceProduct, {.axis = 0}));
        CHECK(Rig().run(graph, {line}, 1) == Floats{0});
    }

    TEST_CASE("a sum of floats stays within the bound of its length, and is the same every time") {
        Rig rig;
        for (const std::int32_t length : {511, 512, 5000, 1 << 16}) {
            CAPTURE(length);
            std::minstd_rand bits(1);
            Floats line(static_cast<std::size_t>(length));
            double sum = 0, magnitude = 0;
            for (float& value : line) {
                value = std::ldexp(static_cast<float>(bits()) - 0x1p30F, -20);
                sum += value;
                magnitude += std::abs(value);
            }
            GraphBuilder graph;
            graph.input("x", {length}).output("y", {1});
            graph.op(Op::ReduceSum, {"x"}, {"y"}, attribute(Op::ReduceSum, {.axis = 0}));
            const Floats made = rig.run(graph, {line}, 1);
            CHECK(std::abs(made[0] - sum) <= length * 0x1p-24 * magnitude);
            for (int i = 0; i < 3; ++i)
                CHECK(rig.run(graph, {line}, 1) == made);
        }
    }

    TEST_CASE("lines are folded by workgroups where they are long and few") {
        using Groups = std::vector<std::uint32_t>;
        const auto groups = [](const Dims& dims) {
            const Grid grid{.elements = 17,
                            .workgroup = 256,
                            .edge = 16,
                            .max_groups = 65535,
                            .max_range = 1U << 28};
            const auto file = sum_and_scale(dims).file();
            const auto graph = tosa::build_graph(file, tosa::kFloatTarget);
            REQUIRE(graph);
            const auto lowering = lower(*graph, grid);
            REQUIRE(lowering);
            const auto plan = schedule(*lowering, grid);
            REQUIRE(plan);
            Groups made;
            for (const Dispatch& dispatch : plan->dispatches)
                made.push_back(dispatch.groups);
            return made;
        };
        CHECK(groups({300, 511}) == Groups{2});  // with all that follows
        CHECK(groups({300, 512}) == Groups{300});
        CHECK(groups({65280, 512}) == Groups{65280});
        CHECK(groups({65281, 512}) == Groups{256});  // these fill a large device by themselves
        CHECK(groups({8, 4096}) == Groups{8});
        CHECK(groups({8, 8190}) == Groups{8});
        CHECK(groups({8, 8192}) == Groups{16, 1});
        CHECK(groups({8, 1 << 20}) == Groups{256, 1});
        CHECK(groups({8, 3 << 18}) == Groups{256, 1});
        CHECK(groups({256, 1 << 16}) == Groups{256});
        AgainstCpu both;
        for (const Dims& dims : {Dims{5, 40}, Dims{5, 600}, Dims{5, 16384}})
            both.check(sum_and_scale(dims), {random_tensor(DType::Fp32, dims, 3)});
    }
}
