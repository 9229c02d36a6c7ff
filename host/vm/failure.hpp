// SPDX-License-Identifier: MIT
// How accel-vm's parts report: one line that says what is missing or wrong.
#pragma once

#include <cstring>
#include <expected>
#include <format>
#include <string>
#include <utility>

namespace vm {

struct Failure {
    std::string text;
};

template <typename T>
using Result = std::expected<T, Failure>;

template <typename... Args>
std::unexpected<Failure> fail(std::format_string<Args...> text, Args&&... args) {
    return std::unexpected(Failure{std::format(text, std::forward<Args>(args)...)});
}

inline std::string errno_text(int error) {
    return ::strerrordesc_np(error);
}

}  // namespace vm
