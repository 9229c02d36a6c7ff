// SPDX-License-Identifier: MIT
#include "cpu/arena.hpp"

#include <iterator>

#include "cpu/memory.hpp"

namespace cpu {
namespace {

std::uint64_t round_up(std::uint64_t bytes) {
    return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

}  // namespace

std::uint64_t ArenaLayout::allocate(std::uint64_t bytes) {
    bytes = round_up(bytes);
    const auto found = by_size_.lower_bound({bytes, 0});
    if (found == by_size_.end()) {
        const std::uint64_t offset = size_;
        size_ += bytes;
        return offset;
    }
    const auto [gap_bytes, offset] = *found;
    erase(gaps_.find(offset));
    if (gap_bytes > bytes) insert(offset + bytes, gap_bytes - bytes);
    return offset;
}

void ArenaLayout::release(std::uint64_t offset, std::uint64_t bytes) {
    bytes = round_up(bytes);
    const auto after = gaps_.lower_bound(offset);
    if (after != gaps_.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == offset) {
            offset = before->first;
            bytes += before->second;
            erase(before);
        }
    }
    if (after != gaps_.end() && offset + bytes == after->first) {
        bytes += after->second;
        erase(after);
    }
    insert(offset, bytes);
}

void ArenaLayout::insert(std::uint64_t offset, std::uint64_t bytes) {
    gaps_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
}

void ArenaLayout::erase(Gap gap) {
    by_size_.erase({gap->second, gap->first});
    gaps_.erase(gap);
}

}  // namespace cpu
