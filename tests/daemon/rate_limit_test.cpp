// SPDX-License-Identifier: MIT
#include "daemon/rate_limit.hpp"

#include <doctest/doctest.h>

using acceld::RateLimit;

TEST_SUITE_BEGIN("daemon/rate_limit");

TEST_CASE("ten lines pass in a period, the rest is counted and told with the next") {
    RateLimit limit;
    const RateLimit::Time start{std::chrono::hours(1)};

    for (int i = 0; i < 10; ++i)
        CHECK(limit.admit(start) == 0);
    for (int i = 0; i < 7; ++i)
        CHECK_FALSE(limit.admit(start + std::chrono::seconds(9)));
    CHECK(limit.admit(start + std::chrono::seconds(10)) == 7);
    CHECK(limit.admit(start + std::chrono::seconds(10)) == 0);
}

TEST_SUITE_END();
