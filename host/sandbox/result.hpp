// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <format>
#include <string>
#include <string_view>
#include <system_error>

namespace sandbox {

using Result = std::expected<void, std::string>;

[[nodiscard]] inline std::unexpected<std::string> failure(std::string_view call, int error) {
    return std::unexpected(
        std::format("sandbox: {}: {}", call, std::generic_category().message(error)));
}

}  // namespace sandbox
