// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

#include <sys/mman.h>

namespace budget {

// A copy of `front`, followed by a tail that begins on a page without access: who reads
// or writes a byte of it ends the program.
class Guarded {
 public:
    Guarded(std::span<const std::byte> front, std::size_t tail)
        : open_(whole_pages(front.size())), closed_(whole_pages(tail)) {
        void* base = ::mmap(nullptr, open_ + closed_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) throw std::runtime_error("mmap of a guarded range");
        base_ = static_cast<std::byte*>(base);
        bytes_ = {base_ + open_ - front.size(), front.size() + tail};
        std::ranges::copy(front, bytes_.begin());
        if (::mprotect(base_ + open_, closed_, PROT_NONE) != 0)
            throw std::runtime_error("mprotect of a guarded range");
    }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    ~Guarded() { ::munmap(base_, open_ + closed_); }

    [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
    static std::size_t whole_pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

    std::size_t open_;
    std::size_t closed_;
    std::byte* base_ = nullptr;
    std::span<std::byte> bytes_;
};

}  // namespace budget
