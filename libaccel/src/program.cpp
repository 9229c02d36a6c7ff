// SPDX-License-Identifier: MIT
#include "accel/program.hpp"

#include <utility>

namespace accel {

Program::Program(detail::Handle handle) noexcept : handle_(std::move(handle)) {}

}  // namespace accel
