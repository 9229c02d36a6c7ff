// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/handle.hpp"

namespace accel {

// Where a buffer lives. A device has the domains that its capabilities name.
enum class Domain : std::uint32_t { Host = 1, Device = 2, Shared = 3 };

// A mask of what a buffer is for; at least one.
enum class Usage : std::uint32_t {
    TransferSource = 1U << 0,       // Buffer::read
    TransferDestination = 1U << 1,  // Buffer::write
    ProgramInput = 1U << 2,
    ProgramOutput = 1U << 3,
    MutableState = 1U << 4,
};
[[nodiscard]] constexpr Usage operator|(Usage a, Usage b) {
    return static_cast<Usage>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

struct BufferDesc {
    std::uint64_t size = 0;  // bytes, 1 to DeviceInfo::max_buffer_bytes
    Domain domain = Domain::Host;
    Usage usage{};
    std::uint64_t alignment = 64;  // a power of two
};

// Device memory of fixed size. Bytes move by copy.
//
// Threads: a buffer may be used by several threads at once; overlapping transfers
// are not ordered. Moving and destroying are for one thread.
class ACCEL_API Buffer {
 public:
    // Copies to or from the buffer at `offset` and returns the number of bytes done,
    // which is less than asked for when a signal ended a long transfer.
    //   EBUSY   a pending event holds the buffer
    //   ERANGE  the range does not fit
    //   EPERM   the buffer's usage does not include the direction
    //   EINVAL  `from` or `to` is empty
    [[nodiscard]] Result<std::size_t> write(std::uint64_t offset,
                                            std::span<const std::byte> from) noexcept;
    [[nodiscard]] Result<std::size_t> read(std::uint64_t offset,
                                           std::span<std::byte> to) const noexcept;

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
    friend class Context;
    friend class Queue;
    Buffer(detail::Handle handle, std::uint64_t size) noexcept;

    detail::Handle handle_;
    std::uint64_t size_ = 0;
};

}  // namespace accel
