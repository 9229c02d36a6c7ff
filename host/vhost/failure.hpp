// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <format>
#include <string>
#include <string_view>
#include <system_error>

namespace vhost {

// "CALL: the reason", to be built on the line after the call, while errno is its.
[[nodiscard]] inline std::unexpected<std::string> failure(std::string_view call, int error) {
    return std::unexpected(std::format("{}: {}", call, std::generic_category().message(error)));
}

}  // namespace vhost
