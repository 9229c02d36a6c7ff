// SPDX-License-Identifier: MIT
//
// A provider for the fake device: enough of TOSA, in FP32, for the programs that
// the tests and the self test make.
#pragma once

#include <span>

#include "fake_kernel.hpp"

namespace fake {

// 0, EINVAL if malformed, ENOEXEC if not for FP32, EOPNOTSUPP for other operators.
[[nodiscard]] int load_tosa(const Program& program);
[[nodiscard]] accel::EventState run_tosa(const Program& program, std::span<const Bound> bound);

}  // namespace fake
