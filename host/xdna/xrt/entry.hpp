// SPDX-License-Identifier: MIT
//
// What the library that is linked to XRT exports: one symbol of this name and type.
#pragma once

#include <cstdint>

#include "xdna/hardware.hpp"

namespace xdna {

inline constexpr const char* kEntryName = "virtio_accel_xrt";

struct Entry {
    // Of which headers it was built (build.mk): classes of others may have the same names
    // and other functions in them.
    std::uint32_t contract = 0;
    // Null where there is no memory.
    std::shared_ptr<Xrt> (*create)() noexcept = nullptr;
};

inline constexpr std::uint32_t kContract = XDNA_CONTRACT;

}  // namespace xdna
