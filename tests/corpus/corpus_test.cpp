// SPDX-License-Identifier: MIT
//
// The corpus on every provider: the same programs and numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "corpus/run_case.hpp"
#include "vulkan/test_device.hpp"
#include "xdna/match.hpp"

namespace corpus {
namespace {

void check_every_case(const cpu::Options& options) {
    const cpu::test::Rig rig(options);
    for (const Case& each : cases()) {
        INFO(each.name);
        CHECK(check(each, rig));
    }
}

TEST_CASE("the CPU provider computes every case") {
    check_every_case({});
}

TEST_CASE("the reference computes every case") {
    check_every_case({.engine = cpu::Engine::Reference});
}

// All but some of types that no kernel has, and under the validation layer.
TEST_CASE("the Vulkan provider computes what it takes" * doctest::skip(vulkan::test::skipped())) {
    const auto no_message = [](std::string_view message) { FAIL_CHECK(message); };
    const cpu::test::Rig rig(std::shared_ptr<provider::Provider>(
        vulkan::open({.name = vulkan::test::device_name(), .on_validation_message = no_message})
            .value()));
    // Words in the names of cases with an operator or a type that is in no tier.
    constexpr std::string_view kBeyond[] = {
        "bf16",   "int4",  "int16",   "conv3d",    "transpose-conv2d",
        "intdiv", "fft2d", "cond-if", "while-loop"};
    for (const Case& each : cases()) {
        CAPTURE(each.name);
        const bool beyond = std::ranges::any_of(
            kBeyond, [&](std::string_view word) { return each.name.contains(word); });
        CHECK(check(each, rig) != beyond);
    }
}

// They run on the double of an array in tests/xdna/provider.
TEST_CASE("these cases are whole graphs that the XDNA provider has kernels for, and no others") {
    std::set<std::string_view> left{"cast-fp8e4m3-to-bf16",
                                    "cast-fp8e5m2-to-bf16",
                                    "identity-int8",
                                    "identity-line-bf16",
                                    "identity-line-int8",
                                    "identity-lines-int8",
                                    "matmul-greatest-least-int8",
                                    "matmul-in-bf16-fp8-mixed",
                                    "matmul-in-bf16-fp8e4m3",
                                    "matmul-in-bf16-fp8e5m2",
                                    "matmul-int8",
                                    "matmul-large-int8",
                                    "matmul-least-greatest-int8",
                                    "matmul-square-bf16",
                                    "matmul-tiles-bf16",
                                    "matmul-tiles-int8",
                                    "max-pool2d-bf16",
                                    "max-pool2d-nan-bf16",
                                    "rescale-int32-to-int8",
                                    "rescale-int32-to-int8-single-round"};
    for (const Case& each : cases()) {
        CAPTURE(each.name);
        const auto graph = tosa::build_graph(each.program, each.target);
        REQUIRE(graph);
        CHECK(xdna::match(*graph).has_value() == (left.erase(each.name) == 1));
    }
    CHECK(left.empty());
}

TEST_CASE("what differs is told") {
    const float one = 1;
    const Tensor expected{tosa::DType::Fp32, {2}, tosa::test::bytes_of({one, 0.0F})};
    const auto told = [&](float a, float b, const Tolerance& tolerance) {
        return difference(expected, tosa::test::bytes_of({a, b}), tolerance);
    };
    CHECK(told(1, 0, {}) == "");
    CHECK(told(1, -0.0F, {.absolute = 1}) == "element 1 is -0, where 0 is expected");
    CHECK(told(1.5F, 0, {.absolute = .5}) == "");
    CHECK(told(1.5F, 0, {.absolute = .4}) == "element 0 is 1.5, where 1 is expected");
    CHECK(told(1.5F, 0, {.relative = .5}) == "");
    CHECK(told(std::nextafter(one, 2.0F), 0, {.ulp = 1}) == "");
    CHECK(told(std::nextafter(one, 2.0F), 0, {}) != "");
    CHECK(told(-1, 0, {.ulp = ~0U}) != "");
    CHECK(told(std::numeric_limits<float>::quiet_NaN(), 0, {.absolute = 1}) != "");
    CHECK(difference(expected, {}, {}) == "0 bytes, where 8 are expected");
}

TEST_CASE("every case has a name of its own, and its files are all there are") {
    std::set<std::string> names;
    for (const Case& each : cases())
        CHECK(names.insert(each.name + ".tosa").second);
    for (const auto& file : std::filesystem::directory_iterator("tests/corpus/data"))
        if (file.path().extension() == ".tosa")
            CHECK(names.contains(file.path().filename().string()));
}

}  // namespace
}  // namespace corpus
