// SPDX-License-Identifier: MIT
//
// The corpus on every provider: the same programs and numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "corpus/case.hpp"
#include "cpu/rig.hpp"
#include "vulkan/test_device.hpp"

namespace corpus {
namespace {

using provider::ErrorKind;

const std::vector<Case>& cases() {
    static const auto read = read_cases("tests/corpus/data");
    REQUIRE_MESSAGE(read.has_value(), read.error());
    return *read;
}

// Whether the provider took the program. What it takes it has to compute as expected.
bool check(const Case& each, const cpu::test::Rig& rig) {
    INFO(each.name);
    auto program = rig.try_load(each.program, cpu::test::kNoCeiling, each.target);
    bool taken = program.has_value();
    if (taken) {
        std::vector<Bytes> inputs;
        std::vector<std::uint64_t> output_bytes;
        for (const Tensor& input : each.inputs)
            inputs.push_back(input.data);
        for (const Tensor& output : each.outputs)
            output_bytes.push_back(output.data.size());
        const auto outputs = rig.run(std::move(*program), inputs, output_bytes);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            CHECK(difference(each.outputs[i], outputs[i], each.tolerance) == "");
    } else {
        const ErrorKind why = program.error().kind;
        CHECK((why == ErrorKind::Unsupported || why == ErrorKind::Incompatible));
    }
    return taken;
}

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
