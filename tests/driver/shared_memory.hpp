// SPDX-License-Identifier: MIT
//
// Guest memory for a driver in userspace: a memfd that the device maps as it maps
// any guest's, and that the driver fills through a mapping of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vhost/memory.hpp"

namespace driver {

// Bytes of guest memory: where the device finds them and where the driver does.
struct Block {
    std::uint64_t guest = 0;
    std::span<std::byte> bytes;

    [[nodiscard]] Block part(std::size_t offset, std::size_t size) const {
        return {guest + offset, bytes.subspan(offset, size)};
    }
};

class SharedMemory {
 public:
    // Both sides see the same bytes either way. A race detector knows bytes by their
    // address, so it needs Once; Twice is how a real guest and its device are.
    enum class Mapped : std::uint8_t { Once, Twice };

    // `size` is a multiple of the page. Throws when the system has no memory to give.
    explicit SharedMemory(std::size_t size, Mapped mapped = Mapped::Twice);

    [[nodiscard]] const base::UniqueFd& file() const { return file_; }
    [[nodiscard]] vhost::RegionDesc region() const;
    [[nodiscard]] const vhost::Memory::Shared& device_side() const { return device_side_; }
    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
    [[nodiscard]] std::uint64_t guest() const { return kGuest; }
    // The address that a ring at `guest` has for a front end.
    [[nodiscard]] std::uint64_t user(std::uint64_t guest) const { return guest - kGuest + kUser; }

    // The next `size` bytes, which are zero unless they were rewound over. Throws
    // std::bad_alloc when they are not there.
    [[nodiscard]] Block allocate(std::size_t size, std::size_t alignment = 16);
    // Forgets every block allocated since mark().
    [[nodiscard]] std::size_t mark() const { return next_; }
    void rewind(std::size_t mark) { next_ = mark; }

 private:
    // The two address spaces differ, so that a mix-up of them shows.
    static constexpr std::uint64_t kGuest = 0x1'0000'0000;
    static constexpr std::uint64_t kUser = 0x7f00'0000'0000;

    base::UniqueFd file_;
    vhost::Memory::Shared device_side_;
    std::optional<vhost::Mapping> own_;  // when mapped twice
    std::span<std::byte> bytes_;
    std::size_t next_ = 0;
};

}  // namespace driver
