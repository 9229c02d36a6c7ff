// SPDX-License-Identifier: MIT
#pragma once

#include "tosa/rules.hpp"

namespace tosa {

// The rules of single operators about attributes, constants and shapes. Arity,
// roles, ranks and types have been checked before.
[[nodiscard]] Checked<void> check_broadcast(const Subject& subject);
[[nodiscard]] Checked<void> check_clamp(const Subject& subject);
[[nodiscard]] Checked<void> check_const(const Subject& subject);
[[nodiscard]] Checked<void> check_matmul(const Subject& subject);
[[nodiscard]] Checked<void> check_reshape(const Subject& subject);
[[nodiscard]] Checked<void> check_same_shape(const Subject& subject);

}  // namespace tosa
