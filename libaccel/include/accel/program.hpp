// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/handle.hpp"

namespace accel {

// A compiled or portable program as it is handed to the device. The format, the
// target and the bytes mean what the device's provider says they mean.
struct Artifact {
    std::uint32_t format = 0;                // not zero
    std::array<std::uint32_t, 12> target{};  // the exact target it was made for
    std::span<const std::byte> bytes;        // 1 to DeviceInfo::max_artifact_bytes
    std::uint64_t resident_bytes = 0;        // most that the device may retain, not zero
};

// A loaded program. It is unloaded when it is destroyed and no event uses it.
class ACCEL_API Program {
 private:
    friend class Context;
    friend class Queue;
    explicit Program(detail::Handle handle) noexcept;

    detail::Handle handle_;
};

}  // namespace accel
