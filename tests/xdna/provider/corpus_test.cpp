// SPDX-License-Identifier: MIT
//
// The numerical corpus on the double, which shares nothing with who wrote the corpus.
#include "corpus/run_case.hpp"
#include "xdna/match.hpp"
#include "xdna/provider/rig.hpp"

namespace corpus {
namespace {

TEST_CASE("xdna: the provider computes every case that is a template, and takes no other") {
    const xrt_double::Script script;
    xdna::test::Opening opening;
    opening.options.self_test = false;
    auto opened = xdna::open(opening.options);
    REQUIRE_MESSAGE(opened, opened.error_or(""));
    const cpu::test::Rig rig(std::shared_ptr<provider::Provider>(std::move(*opened)));
    int taken = 0;
    for (const Case& each : cases()) {
        CAPTURE(each.name);
        const auto graph = tosa::build_graph(each.program, each.target);
        REQUIRE(graph);
        const bool is_template =
            xdna::match(*graph).has_value() &&
            std::ranges::any_of(xdna::kTargets, [&](const tosa::Target& served) {
                return tosa::within(each.target, served);
            });
        constexpr std::size_t kWord = 4;  // slots are whole words
        CHECK(check(each, rig, kWord) == is_template);
        taken += is_template ? 1 : 0;
    }
    CHECK(taken > 4);
}

}  // namespace
}  // namespace corpus
