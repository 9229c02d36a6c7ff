// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace fuzz {

// Changes one number or one name of a well-formed TOSA file in place, so that the
// file stays well formed and its graph goes wrong. False where there is nothing to change.
bool mutate_tosa(std::span<std::uint8_t> file, std::minstd_rand& random);

}  // namespace fuzz
