// SPDX-License-Identifier: MIT
#include "cpu/arena.hpp"

#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace cpu {
namespace {

TEST_CASE("values that live at the same time do not overlap") {
    struct Range {
        std::uint64_t offset, bytes;
    };
    std::mt19937 generator(7);
    std::vector<Range> live;
    ArenaLayout arena;
    for (int round = 0; round < 3000; ++round) {
        if (live.size() > 20 || (!live.empty() && generator() % 2 == 0)) {
            const std::size_t i = generator() % live.size();
            arena.release(live[i].offset, live[i].bytes);
            live[i] = live.back();
            live.pop_back();
            continue;
        }
        const std::uint64_t bytes = 1 + generator() % 1000;
        const Range made{arena.allocate(bytes), bytes};
        CHECK(made.offset % 64 == 0);
        CHECK(made.offset + bytes <= arena.size());
        for (const Range& other : live)
            CHECK((made.offset >= other.offset + other.bytes ||
                   other.offset >= made.offset + made.bytes));
        live.push_back(made);
    }
    // About twice what can live at once: gaps are joined and used again.
    CHECK(arena.size() < 2 * 21 * 1024);

    const std::uint64_t size = arena.size();
    for (const Range& range : live)
        arena.release(range.offset, range.bytes);
    CHECK(arena.allocate(size) == 0);
    CHECK(arena.size() == size);
}

}  // namespace
}  // namespace cpu
