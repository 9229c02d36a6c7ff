// SPDX-License-Identifier: MIT
#include "vulkan/arena.hpp"

#include <algorithm>

namespace vulkan {

std::uint64_t Arena::place(std::uint64_t bytes, std::uint32_t first, std::uint32_t last) {
    const std::uint64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    std::uint64_t begin = 0;
    for (const Region& other : regions_) {
        const bool together = other.first <= last && first <= other.last;
        if (!together || other.end <= begin) continue;
        if (begin + size <= other.begin) break;
        begin = other.end;
    }
    const Region region{.begin = begin, .end = begin + size, .first = first, .last = last};
    regions_.insert(std::ranges::upper_bound(regions_, begin, {}, &Region::begin), region);
    bytes_ = std::max(bytes_, region.end);
    return begin;
}

}  // namespace vulkan
