// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "model/schedule.hpp"

namespace model {

// A schedule that still fails, of which no step, no injection and no oddity of a step can be
// left out (delta debugging). `schedule` fails.
[[nodiscard]] Schedule minimise(Schedule schedule,
                                const std::function<bool(const Schedule&)>& fails);

}  // namespace model
