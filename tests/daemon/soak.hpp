// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string_view>

namespace daemon_test {

// SOAK=1 asks for every case and every round where `make check` takes a few.
[[nodiscard]] inline bool soaking() {
    const char* const value = std::getenv("SOAK");
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace daemon_test
