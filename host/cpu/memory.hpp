// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace cpu {

// Vector loads never straddle a cache line where the data starts on one.
inline constexpr std::size_t kCacheLine = 64;

// Aligned bytes, zero at first. Making them throws std::bad_alloc.
class Memory {
 public:
    Memory() = default;
    Memory(std::size_t bytes, std::size_t alignment)
        : data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment})),
                Free{alignment}) {
        std::memset(data_.get(), 0, bytes);
    }

    [[nodiscard]] std::byte* data() const { return data_.get(); }

 private:
    struct Free {
        std::size_t alignment;
        void operator()(std::byte* data) const {
            ::operator delete(data, std::align_val_t{alignment});
        }
    };
    std::unique_ptr<std::byte, Free> data_;
};

}  // namespace cpu
