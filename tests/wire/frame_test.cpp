// SPDX-License-Identifier: MIT
#include "wire/frame.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("wire/frame");

TEST_CASE("pieces read and write as one sequence, in any order of offsets") {
    std::vector<std::byte> bytes(20);
    const std::vector<std::span<std::byte>> pieces{std::span(bytes).subspan(0, 1),
                                                   std::span(bytes).subspan(1, 7),
                                                   std::span(bytes).subspan(8, 12)};
    const std::vector<std::span<const std::byte>> readable(pieces.begin(), pieces.end());
    for (std::size_t offset = 0; offset <= bytes.size(); ++offset) {
        for (std::size_t length = 0; offset + length <= bytes.size(); ++length) {
            CAPTURE(offset);
            CAPTURE(length);
            std::ranges::fill(bytes, std::byte{0});
            wire::Writer writer(pieces);
            wire::Reader reader(readable);
            REQUIRE(writer.contains(offset, length));
            std::vector<std::byte> out(length, std::byte{9});
            std::vector<std::byte> in(length);
            writer.write(bytes.size() - length, {});  // walk to the end first, then back
            writer.write(offset, out);
            reader.read(offset, in);
            CHECK(in == out);
            CHECK(std::ranges::count(bytes, std::byte{9}) == static_cast<std::ptrdiff_t>(length));
        }
    }
}

TEST_CASE("a range is inside only if all of it is") {
    std::vector<std::byte> bytes(4);
    const std::span<std::byte> piece(bytes);
    const wire::Writer writer(std::span(&piece, 1));
    CHECK(writer.contains(4, 0));
    CHECK(writer.contains(0, 4));
    CHECK_FALSE(writer.contains(0, 5));
    CHECK_FALSE(writer.contains(5, 0));
    CHECK_FALSE(writer.contains(2, ~0ULL));
    CHECK_FALSE(writer.contains(~0ULL, 2));
}

TEST_SUITE_END();
