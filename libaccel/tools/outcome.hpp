// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace accelctl {

// A value, or one line that tells the user what is wrong.
template <class T>
using Outcome = std::expected<T, std::string>;

template <class... Args>
[[nodiscard]] std::unexpected<std::string> failure(fmt::format_string<Args...> text,
                                                   Args&&... args) {
    return std::unexpected(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace accelctl
