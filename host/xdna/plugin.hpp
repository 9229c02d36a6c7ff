// SPDX-License-Identifier: MIT
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "xdna/hardware.hpp"

namespace xdna {

// Opens the library that was built against XRT; empty: the one that belongs to this program.
// The error says whether it or XRT is missing.
[[nodiscard]] std::expected<std::shared_ptr<Xrt>, std::string> load_xrt(
    const std::string& library = {});

}  // namespace xdna
