// SPDX-License-Identifier: MIT
//
// The reference compiler as far as it goes without a toolchain.
#include <filesystem>
#include <format>

#include <doctest/doctest.h>

#include "xdna-store/fake_compiler.hpp"
#include "xdna/store/compiler.hpp"
#include "xdna/store/contract.hpp"

namespace {

using xdna::Spec;
using xdna_store_test::Scratch;
using xdna_store_test::write_text;

const std::filesystem::path kProgram =
    std::filesystem::absolute("host/xdna/store/aie/aie-compiler.py");

// What it says of a spec.json, and with which exit status.
std::pair<std::string, int> check(const std::string& spec_json) {
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "work");
    write_text(scratch / "work/spec.json", spec_json);
    const auto ended = xdna::run({.program = kProgram,
                                  .arguments = {"--check", scratch / "work"},
                                  .directory = scratch / "work",
                                  .limits = {}});
    REQUIRE(ended.has_value());
    REQUIRE(ended->how == xdna::Ended::How::Exited);
    return {ended->output, ended->status};
}

std::string sizes_of(const Spec& spec) {
    std::string inputs, output;
    for (const provider::Slot& slot : xdna::slots(spec))
        if (slot.access == provider::Access::Read)
            inputs += std::format("{}{}", inputs.empty() ? "" : ", ", slot.bytes);
        else
            output = std::to_string(slot.bytes);
    return std::format("[{}] [{}]\n", inputs, output);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const auto place = text.find(what);
    REQUIRE(place != std::string::npos);
    return text.replace(place, what.size(), with);
}

TEST_CASE("The reference compiler knows all specs, with the slots they have here") {
    for (const Spec& spec : {
             Spec(xdna::Bf16Identity{3072}),
             Spec(xdna::Int8Identity{8}),
             Spec(xdna::Fp8ToBf16{xdna::Fp8::E5M2, 1024}),
             Spec(xdna::Bf16Matmul{{32, 64, 512}}),
             Spec(xdna::Fp8Matmul{xdna::Fp8::E4M3, xdna::Fp8::E5M2, {64, 128, 96}}),
             Spec(xdna::Int8Matmul{{2, 3, 2}, -128, 127}),
             Spec(xdna::Int8Matmul{{1, 512, 1}, 0, 0}),
             Spec(xdna::Int32ToInt8Rescale{5, 0x7FFFFFFF, 62, -3}),
             Spec(xdna::Bf16MaxPool2d{5, 4, 1, 3, 2, 2, 2}),
             Spec(xdna::Bf16MaxPool2d{4, 4, 2, 2, 2, 2, 2}),
         }) {
        CAPTURE(to_text(spec));
        REQUIRE(unfit(spec) == "");
        const auto [said, status] = check(xdna::contract::spec_json(spec));
        CAPTURE(said);
        CHECK(status == 0);
        CHECK(said.ends_with(sizes_of(spec)));
    }
}

TEST_CASE("The reference compiler refuses what is no spec that it knows") {
    const std::string good = xdna::contract::spec_json(xdna::Int8Matmul{{2, 3, 2}, -2, 3});
    REQUIRE(check(good).second == 0);
    for (const std::string& bad : {
             std::string(),
             std::string("[]"),
             std::string("{}"),
             replaced(good, "\"schema\": 1", "\"schema\": 2"),
             replaced(good, "\"kind\": \"int8-matmul\"", "\"kind\": \"fp8-matmul\""),
             replaced(good, "\"kind\": \"int8-matmul\"", "\"kind\": []"),
             replaced(good, "\"m\": 2", "\"m\": 0"),
             replaced(good, "\"m\": 2", "\"m\": 3"),
             replaced(good, "\"m\": 2", "\"m\": 2.0"),
             replaced(good, "\"m\": 2", "\"m\": true"),
             replaced(good, "\"m\": 2", "\"m\": \"2> evil <\""),
             replaced(good, "\"m\": 2", "\"mm\": 2"),
             replaced(good, "\"a_zero\": -2", "\"a_zero\": 128"),
             replaced(good, "16", "20"),
         }) {
        CAPTURE(bad);
        const auto [said, status] = check(bad);
        CHECK(status == 1);
        CHECK(said.starts_with("spec-rejected: "));
    }
}

// On a machine that has one, this is where its own tests would be.
TEST_CASE("The reference compiler without its toolchain says so") {
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "place");
    const xdna::Compiler compiler(kProgram, scratch / "place", {}, -1, [](const std::string&) {});
    const auto measured = compiler.measure();
    REQUIRE_FALSE(measured.has_value());
    CHECK(measured.error().error.code == std::to_underlying(xdna::StoreCode::ToolchainMissing));
    const auto compiled = compiler.compile(xdna::Int8Identity{8}, {});
    REQUIRE_FALSE(compiled.has_value());
    CHECK(compiled.error().error.code == std::to_underlying(xdna::StoreCode::ToolchainMissing));
}

}  // namespace
