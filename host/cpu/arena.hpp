// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace cpu {

// Lays out the intermediates of a program in one range of memory: offsets of values
// that live at the same time do not overlap. Takes the smallest gap that fits, in
// O(log n), so that a hostile graph cannot make loading slow.
class ArenaLayout {
 public:
    // Offsets and sizes are multiples of kCacheLine.
    [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
    void release(std::uint64_t offset, std::uint64_t bytes);

    // Bytes that the arena needs for all layouts so far.
    [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
    using Gap = std::map<std::uint64_t, std::uint64_t>::iterator;
    void insert(std::uint64_t offset, std::uint64_t bytes);
    void erase(Gap gap);

    std::map<std::uint64_t, std::uint64_t> gaps_;                // offset -> bytes
    std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // bytes, offset
    std::uint64_t size_ = 0;
};

}  // namespace cpu
