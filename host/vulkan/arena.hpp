// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace vulkan {

// Packs tensors that are not alive at the same time into the same bytes.
class Arena {
 public:
    static constexpr std::uint64_t kAlignment = 256;

    // The lowest offset where nothing placed so far overlaps it while both are alive.
    // Lifetimes are closed intervals of step numbers.
    std::uint64_t place(std::uint64_t bytes, std::uint32_t first, std::uint32_t last);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
    struct Region {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint32_t first;
        std::uint32_t last;
    };
    std::vector<Region> regions_;  // by begin
    std::uint64_t bytes_ = 0;
};

}  // namespace vulkan
