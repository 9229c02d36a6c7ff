// SPDX-License-Identifier: MIT
//
// What confines a process cannot be taken back: each attempt has a child of its own.
#pragma once

#include <functional>
#include <string>

#include "sandbox/result.hpp"

namespace sandbox_test {

// Does the attempt in a child that `confine` has confined and returns what became of it:
// "ok" if the attempt returned 0 or more, the name of its errno such as "EPERM" if it
// returned less, "no" if that is 0, or "SIGSYS" and the like if it has not returned.
std::string outcome(const std::function<sandbox::Result()>& confine,
                    const std::function<long()>& attempt);

// Filters and views have no part in builds with a sanitizer, which could not run in them.
inline constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

}  // namespace sandbox_test
