// SPDX-License-Identifier: MIT
//
// What the tiers say is what matches: no graph that does lies outside, and nothing is listed
// that no such graph has.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "tosa/single_operator.hpp"
#include "tosa/tiers.hpp"
#include "xdna/match.hpp"
#include "xdna/templates.hpp"

namespace xdna::test {
namespace {

// All that is in a tier is in one of these: IDENTITY of IDENTITY has what is between.
std::vector<GraphBuilder> graphs() {
    std::vector<GraphBuilder> all;
    for (const DType type : {DType::Bf16, DType::Int8}) {
        GraphBuilder& chain = all.emplace_back();
        chain.input("a", {1024}, type).tensor("copy", {1024}, type).output("out", {1024}, type);
        chain.op(Op::Identity, {"a"}, {"copy"}).op(Op::Identity, {"copy"}, {"out"});
    }
    for (Templated& each : templates())
        all.push_back(std::move(each.graph));
    all.push_back(cast(DType::Fp8E5M2, DType::Bf16, {1024}));
    return all;
}

// That match, and that are in the tier.
std::size_t admitted(const tosa::Descriptor& tier) {
    return static_cast<std::size_t>(std::ranges::count_if(graphs(), [&](const auto& builder) {
        const auto file = builder.file();
        const auto graph = tosa::build_graph(file, tier.target);
        return graph && match(*graph) && tosa::admits(tier, *graph);
    }));
}

bool in_a_tier(const GraphBuilder& builder) {
    return std::ranges::any_of(tosa::xdna_tiers(), [&](const tosa::Descriptor& tier) {
        const auto file = builder.file();
        const auto graph = tosa::build_graph(file, tier.target);
        return graph && tosa::admits(tier, *graph);
    });
}

}  // namespace

TEST_SUITE("xdna/tier") {
    TEST_CASE("a graph that matches is in a tier") {
        for (const auto& [spec, graph] : templates()) {
            CAPTURE(to_text(spec));
            CHECK(in_a_tier(graph));
        }

        std::size_t matched = 0;
        for (const tosa::Descriptor& tier : tosa::xdna_tiers())
            for (std::uint32_t number = 1; number <= tosa::kLastStableOp; ++number)
                for (std::uint32_t from = 1; from <= 12; ++from)
                    for (std::uint32_t to = 1; to <= 12; ++to) {
                        const Op op{number};
                        if (op == Op::CondIf || op == Op::WhileLoop || op == Op::Variable ||
                            op == Op::VariableWrite || op == Op::VariableRead)
                            continue;
                        const auto single = tosa::test::valid(
                            op, {DType{from}, DType{to}, DType{from}, DType::Int32});
                        const auto file = single.graph().file();
                        const auto graph = tosa::build_graph(file, tier.target);
                        if (!graph || !match(*graph)) continue;
                        ++matched;
                        CAPTURE(tosa::name(op));
                        CHECK(in_a_tier(single.graph()));
                    }
        CHECK(matched >= 3);
    }

    TEST_CASE("without any operator, type or role of a tier less of what matches is in it") {
        for (const tosa::Descriptor& tier : tosa::xdna_tiers()) {
            CAPTURE(tosa::describe(tier.target));
            const std::size_t all = admitted(tier);
            for (std::size_t i = 0; i < tier.operators.size(); ++i) {
                CAPTURE(tosa::name(tier.operators[i].op));
                std::vector rows(tier.operators.begin(), tier.operators.end());
                rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
                tosa::Descriptor less = tier;
                less.operators = rows;
                CHECK(admitted(less) < all);
            }
            for (std::size_t i = 0; i < tier.types.size(); ++i)
                for (std::uint32_t role = 1; role < tosa::kRoleAll; role <<= 1) {
                    if ((tier.types[i].roles & role) == 0) continue;
                    // As published; MATMUL with RESCALE behind it is no template yet.
                    if (tier.types[i].type == DType::Int32 && role == tosa::kRoleIntermediate)
                        continue;
                    CAPTURE(tosa::name(tier.types[i].type));
                    CAPTURE(role);
                    std::vector rows(tier.types.begin(), tier.types.end());
                    rows[i].roles &= ~role;
                    tosa::Descriptor less = tier;
                    less.types = rows;
                    CHECK(admitted(less) < all);
                }
        }
    }
}

}  // namespace xdna::test
