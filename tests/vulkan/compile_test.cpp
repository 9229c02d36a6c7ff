// SPDX-License-Identifier: MIT
//
// The pipelines of a program: which there are, and what happens when some cannot be made.
#include <numeric>

#include <sched.h>

#include "tosa/attributes.hpp"
#include "vulkan/shimmed.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

constexpr const char* kCompile = "vkCreateComputePipelines";
constexpr int kDistinct = 8;

// Reverses one line several times. Every second result lies where the one before the last did,
// so of the steps between them there are only two.
GraphBuilder repeating(int length) {
    GraphBuilder graph;
    graph.input("x0", {100});
    for (int i = 1; i <= length; ++i) {
        const auto name = "x" + std::to_string(i);
        i == length ? graph.output(name, {100}) : graph.tensor(name, {100});
        graph.op(tosa::Op::Reverse, {"x" + std::to_string(i - 1)}, {name},
                 tosa::test::attribute(tosa::Op::Reverse, {.axis = 0}));
    }
    return graph;
}

// Lines of different lengths: as many pipelines.
GraphBuilder distinct() {
    GraphBuilder graph;
    for (int i = 1; i <= kDistinct; ++i) {
        const auto end = std::to_string(i);
        graph.constant("k" + end, {i}, bytes_of(Floats(static_cast<std::size_t>(i), 1.0F)));
        graph.tensor("r" + end, {i});
        graph.op(tosa::Op::Reverse, {"k" + end}, {"r" + end},
                 tosa::test::attribute(tosa::Op::Reverse, {.axis = 0}));
    }
    tosa::test::Names all;
    for (int i = 1; i <= kDistinct; ++i)
        all.push_back("r" + std::to_string(i));
    graph.output("y", {kDistinct * (kDistinct + 1) / 2});
    graph.op(tosa::Op::Concat, all, {"y"}, tosa::test::attribute(tosa::Op::Concat, {.axis = 0}));
    return graph;
}

// This thread has one processor.
class OneProcessor {
 public:
    OneProcessor() {
        REQUIRE(::sched_getaffinity(0, sizeof(before_), &before_) == 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (unsigned i = 0; CPU_COUNT(&one) == 0; ++i)
            if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
        REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
    }
    ~OneProcessor() { ::sched_setaffinity(0, sizeof(before_), &before_); }
    OneProcessor(const OneProcessor&) = delete;
    OneProcessor& operator=(const OneProcessor&) = delete;

 private:
    cpu_set_t before_{};
};

unsigned compiled(Shimmed& shim, Rig& rig, const GraphBuilder& graph) {
    const unsigned before = shim->calls(kCompile);
    rig.unload(rig.load(graph));
    return shim->calls(kCompile) - before;
}

}  // namespace

TEST_SUITE("vulkan/compile" * doctest::skip(skipped())) {
    TEST_CASE("what dispatches have in common is compiled once") {
        Shimmed shim;
        Rig rig(Shimmed::options());
        CHECK(compiled(shim, rig, repeating(1)) == 1);
        CHECK(compiled(shim, rig, repeating(20)) == 4);  // the first, the last, two between
        Floats line(100);
        std::iota(line.begin(), line.end(), 0.0F);
        CHECK(rig.run(repeating(20), {line}, 100) == line);
    }

    TEST_CASE("whichever pipeline cannot be made, none is kept, and all can be the next time") {
        for (unsigned nth = 1; nth <= kDistinct; ++nth) {
            CAPTURE(nth);
            Shimmed shim;
            Rig rig(Shimmed::options());
            shim->fault = {kCompile, nth, VK_ERROR_OUT_OF_DEVICE_MEMORY};
            CHECK(error_of(rig.try_load(distinct().file())) == ErrorKind::OutOfMemory);
            CHECK(!shim->alive().contains("Pipeline="));
            rig.unload(rig.load(distinct()));
        }
    }

    TEST_CASE("on one processor nobody helps, and nothing is compiled after a failure") {
        const OneProcessor one;
        Shimmed shim;
        Rig rig(Shimmed::options());
        shim->fault = {kCompile, 5, VK_ERROR_OUT_OF_HOST_MEMORY};
        CHECK(error_of(rig.try_load(distinct().file())) == ErrorKind::OutOfMemory);
        CHECK(shim->calls(kCompile) == 5);
        CHECK(compiled(shim, rig, distinct()) > kDistinct);
    }
}
