// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "lane/rig.hpp"

namespace dispatch::test {
namespace {

using Limits = std::numeric_limits<double>;

constexpr Clock::time_point kNow{std::chrono::seconds(1000)};

bool refused(double seconds) {
    const auto deadline = deadline_after(Seconds(seconds), kNow);
    return !deadline && deadline.error().kind == ErrorKind::InvalidArgument;
}

TEST_CASE("bounded waits refuse times that are no number, negative or beyond the clock") {
    CHECK(refused(Limits::quiet_NaN()));
    CHECK(refused(-Limits::quiet_NaN()));
    CHECK(refused(-Limits::denorm_min()));
    CHECK(refused(-1));
    CHECK(refused(-Limits::infinity()));
    CHECK(refused(Limits::infinity()));
    CHECK(refused(Limits::max()));

    const Seconds left = Clock::time_point::max() - kNow;
    CHECK(refused(left.count()));
    CHECK_FALSE(refused(std::nextafter(left.count(), 0)));
}

TEST_CASE("a deadline is as much later as was asked for") {
    CHECK(deadline_after(Seconds(0), kNow) == kNow);
    CHECK(deadline_after(Seconds(-0.0), kNow) == kNow);
    CHECK(deadline_after(Seconds(Limits::denorm_min()), kNow) == kNow);
    CHECK(deadline_after(Seconds(0.5), kNow) == kNow + std::chrono::milliseconds(500));
    const Seconds left = Clock::time_point::max() - kNow;
    const auto last = deadline_after(Seconds(std::nextafter(left.count(), 0)), kNow);
    CHECK(last.value() > kNow);
}

TEST_CASE("a lane refuses such a time before anything else") {
    Rig rig;
    const Operands operands;
    const Seconds never(Limits::quiet_NaN());
    const auto submitted = rig.lane->submit_within(rig.work(operands), never);
    CHECK(Rig::refused(submitted, ErrorKind::InvalidArgument));
    CHECK_FALSE(operands.in_use());
    const Ticket ticket = rig.submit(operands);
    CHECK_FALSE(ticket.wait(never).has_value());
    CHECK(complete(ticket));
}

}  // namespace
}  // namespace dispatch::test
