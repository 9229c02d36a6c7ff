// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "provider/error.hpp"

namespace dispatch {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// When a wait that begins at `now` is over. Negative times, those that are no number and
// those beyond the clock are InvalidArgument.
[[nodiscard]] inline provider::Result<Clock::time_point> deadline_after(Seconds at_most,
                                                                        Clock::time_point now) {
    // Less than, not at most: the double nearest to all that is left may be more than that.
    const Seconds left = Clock::time_point::max() - now;
    if (!(at_most >= Seconds::zero()) || !(at_most < left))
        return std::unexpected(provider::ErrorKind::InvalidArgument);
    return now + std::chrono::duration_cast<Clock::duration>(at_most);
}

}  // namespace dispatch
