// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace acceld {

// Which device files of a folder, of those whose names begin like this, may not be opened
// by us, and why: drivers leave out their devices without a word. Empty if there are none.
[[nodiscard]] std::string closed_device_files(const std::filesystem::path& folder,
                                              std::string_view begin);

}  // namespace acceld
