// SPDX-License-Identifier: MIT
#include "driver/ring_memory.hpp"

#include <algorithm>
#include <atomic>

namespace driver {

namespace {

// Virtio 1.3, 2.7: flags and index in front of the entries, an event index behind.
constexpr std::size_t kFlags = 0;
constexpr std::size_t kIndex = 2;
constexpr std::size_t kEntries = 4;
constexpr std::size_t kEventBytes = 2;
constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kElementBytes = 8;
constexpr std::size_t kPage = 4096;

}  // namespace

RingMemory::RingMemory(SharedMemory& memory, std::uint16_t size)
    : size_(size), block_(memory.allocate(end(), kPage)), user_(memory.user(block_.guest)) {}

template <class T>
auto RingMemory::field(std::size_t offset) const {
    return std::atomic_ref<T>(*reinterpret_cast<T*>(block_.bytes.data() + offset));
}

std::size_t RingMemory::available() const {
    return sizeof(vhost::Descriptor) * size_;
}

std::size_t RingMemory::used_ring() const {
    return (available() + kEntries + kHeadBytes * size_ + kEventBytes + 3) / 4 * 4;
}

std::size_t RingMemory::end() const {
    return used_ring() + kEntries + kElementBytes * size_ + kEventBytes;
}

vhost::RingAddresses RingMemory::addresses() const {
    return {.descriptors = user_, .available = user_ + available(), .used = user_ + used_ring()};
}

void RingMemory::clear() const {
    std::ranges::fill(block_.bytes, std::byte{0});
}

void RingMemory::set_descriptor(std::uint16_t index, const vhost::Descriptor& d) const {
    const std::size_t at = sizeof(d) * index;
    const std::uint64_t rest =
        d.length | std::uint64_t{d.flags} << 32 | std::uint64_t{d.next} << 48;
    field<std::uint64_t>(at).store(d.address, std::memory_order_relaxed);
    field<std::uint64_t>(at + 8).store(rest, std::memory_order_relaxed);
}

void RingMemory::set_available_head(std::uint16_t index, std::uint16_t head) const {
    field<std::uint16_t>(available() + kEntries + kHeadBytes * (index % size_))
        .store(head, std::memory_order_relaxed);
}

void RingMemory::set_available_index(std::uint16_t index) const {
    field<std::uint16_t>(available() + kIndex).store(index);
}

void RingMemory::set_available_flags(std::uint16_t flags) const {
    field<std::uint16_t>(available() + kFlags).store(flags);
}

void RingMemory::publish(std::uint16_t head) const {
    const std::uint16_t index = available_index();
    set_available_head(index, head);
    set_available_index(static_cast<std::uint16_t>(index + 1));
}

std::uint16_t RingMemory::available_index() const {
    return field<std::uint16_t>(available() + kIndex).load();
}

std::uint16_t RingMemory::used_flags() const {
    return field<std::uint16_t>(used_ring() + kFlags).load();
}

std::uint16_t RingMemory::used_index() const {
    return field<std::uint16_t>(used_ring() + kIndex).load();
}

void RingMemory::set_used_index(std::uint16_t index) const {
    field<std::uint16_t>(used_ring() + kIndex).store(index);
}

UsedElement RingMemory::used(std::uint16_t n) const {
    const std::size_t at = used_ring() + kEntries + kElementBytes * (n % size_);
    return {field<std::uint32_t>(at).load(std::memory_order_relaxed),
            field<std::uint32_t>(at + 4).load(std::memory_order_relaxed)};
}

}  // namespace driver
