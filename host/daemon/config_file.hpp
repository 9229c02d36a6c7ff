// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace acceld {

// A key of a configuration file, which is called like the option that it stands for.
struct Setting {
    std::string place;  // "FILE:LINE"
    std::string key;
    std::vector<std::string> values;

    // The same on a command line.
    [[nodiscard]] std::vector<std::string> arguments() const;
};

// A file in TOML without tables. An error is a line that begins with the place.
[[nodiscard]] std::expected<std::vector<Setting>, std::string> read_settings(
    const std::string& path);

}  // namespace acceld
