// SPDX-License-Identifier: MIT
//
// What match() says of a file.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "tosa/build_test.hpp"
#include "xdna/match.hpp"

namespace xdna::test {

inline std::expected<Spec, std::string> matched(const tosa::test::GraphBuilder& builder) {
    const auto [file, graph] = tosa::test::built(builder.file(), tosa::test::kEverything);
    return match(graph);
}

inline void accept(const Spec& spec, const tosa::test::GraphBuilder& builder) {
    const auto made = matched(builder);
    CAPTURE(to_text(spec));
    REQUIRE_MESSAGE(made, made.error());
    CHECK(to_text(*made) == to_text(spec));
    CHECK(*made == spec);
}

inline void refuse(const tosa::test::GraphBuilder& builder, std::string_view why) {
    const auto made = matched(builder);
    CAPTURE(why);
    if (made)
        FAIL_CHECK(to_text(*made));
    else
        CHECK(made.error() == why);
}

}  // namespace xdna::test
