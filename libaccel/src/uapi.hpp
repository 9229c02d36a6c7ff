// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <drm/virtio_accel.h>

namespace accel::detail {

// A pointer as the 64-bit field of an ioctl argument.
[[nodiscard]] inline std::uint64_t user_address(const void* memory) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory);
}

}  // namespace accel::detail
