// SPDX-License-Identifier: MIT
#include "vhost/ring_view.hpp"

#include <atomic>
#include <bit>
#include <utility>

namespace vhost {

static_assert(std::endian::native == std::endian::little, "ring fields are little-endian");

namespace {

constexpr std::size_t kFlags = 0;
constexpr std::size_t kIndex = 2;
constexpr std::size_t kEntries = 4;
constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kUsedElementBytes = 8;

constexpr std::size_t available_bytes(std::size_t n) {
    return 6 + kHeadBytes * n;
}
constexpr std::size_t used_bytes(std::size_t n) {
    return 6 + kUsedElementBytes * n;
}

// A field of the shared ring. locate() has proven the alignment.
template <class T>
std::atomic_ref<T> field(std::byte* base, std::size_t offset) {
    return std::atomic_ref<T>(*reinterpret_cast<T*>(base + offset));
}

std::byte* part(const Memory& memory, std::uint64_t user, std::size_t bytes,
                std::size_t alignment) {
    std::byte* base = memory.at_user(user, bytes);
    return std::bit_cast<std::uintptr_t>(base) % alignment == 0 ? base : nullptr;
}

}  // namespace

std::optional<RingView> RingView::locate(Memory::Shared memory, std::uint16_t size,
                                         const RingAddresses& addresses) {
    RingView view;
    view.size_ = size;
    view.descriptors_ = part(*memory, addresses.descriptors, sizeof(Descriptor) * size, 16);
    view.available_ = part(*memory, addresses.available, available_bytes(size), 2);
    view.used_ = part(*memory, addresses.used, used_bytes(size), 4);
    view.memory_ = std::move(memory);
    if (view.descriptors_ == nullptr || view.available_ == nullptr || view.used_ == nullptr) {
        return std::nullopt;
    }
    return view;
}

Descriptor RingView::descriptor(std::uint16_t index) const {
    const std::size_t offset = sizeof(Descriptor) * index;
    const auto low = field<std::uint64_t>(descriptors_, offset).load(std::memory_order_relaxed);
    const auto high =
        field<std::uint64_t>(descriptors_, offset + 8).load(std::memory_order_relaxed);
    return {.address = low,
            .length = static_cast<std::uint32_t>(high),
            .flags = static_cast<std::uint16_t>(high >> 32),
            .next = static_cast<std::uint16_t>(high >> 48)};
}

std::uint16_t RingView::available_flags() const {
    return field<std::uint16_t>(available_, kFlags).load();
}

std::uint16_t RingView::available_index() const {
    return field<std::uint16_t>(available_, kIndex).load();
}

std::uint16_t RingView::available_head(std::uint16_t position) const {
    return field<std::uint16_t>(available_, kEntries + kHeadBytes * position)
        .load(std::memory_order_relaxed);
}

void RingView::set_used_flags(std::uint16_t flags) const {
    field<std::uint16_t>(used_, kFlags).store(flags);
}

std::uint16_t RingView::used_index() const {
    return field<std::uint16_t>(used_, kIndex).load();
}

void RingView::set_used_index(std::uint16_t index) const {
    field<std::uint16_t>(used_, kIndex).store(index);
}

void RingView::set_used_element(std::uint16_t position, std::uint32_t head,
                                std::uint32_t length) const {
    const std::size_t offset = kEntries + kUsedElementBytes * position;
    field<std::uint32_t>(used_, offset).store(head, std::memory_order_relaxed);
    field<std::uint32_t>(used_, offset + 4).store(length, std::memory_order_relaxed);
}

bool RingView::used_elements_clear() const {
    for (std::size_t offset = kEntries; offset < kEntries + kUsedElementBytes * size_;
         offset += 4) {
        if (field<std::uint32_t>(used_, offset).load(std::memory_order_relaxed) != 0) return false;
    }
    return true;
}

}  // namespace vhost
