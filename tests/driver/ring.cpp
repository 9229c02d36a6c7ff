// SPDX-License-Identifier: MIT
#include "driver/ring.hpp"

#include <algorithm>
#include <numeric>

namespace driver {

Ring::Ring(SharedMemory& memory, std::uint16_t size)
    : memory_(memory, size), next_(size), length_(size) {
    restart();
}

std::uint16_t Ring::restart(std::uint16_t index) {
    const std::uint16_t reclaimed = outstanding_;
    memory_.clear();
    memory_.set_available_index(index);
    memory_.set_used_index(index);
    std::iota(next_.begin(), next_.end(), std::uint16_t{1});
    std::ranges::fill(length_, std::uint16_t{0});
    first_free_ = 0;
    free_ = memory_.size();
    outstanding_ = 0;
    next_available_ = next_used_ = index;
    return reclaimed;
}

std::optional<std::uint16_t> Ring::publish(std::span<const Block> readable,
                                           std::span<const Block> writable) {
    const std::size_t count = readable.size() + writable.size();
    if (count == 0 || count > free_) return std::nullopt;

    const std::uint16_t head = first_free_;
    std::uint16_t index = head;
    std::size_t left = count;
    const auto add = [&](const Block& piece, std::uint16_t flags) {
        put(index, piece, flags, --left == 0);
        index = next_[index];
    };
    for (const Block& piece : readable)
        add(piece, 0);
    for (const Block& piece : writable)
        add(piece, vhost::kDescriptorWrite);

    first_free_ = index;
    free_ = static_cast<std::uint16_t>(free_ - count);
    length_[head] = static_cast<std::uint16_t>(count);
    ++outstanding_;
    memory_.set_available_head(next_available_, head);
    memory_.set_available_index(++next_available_);
    return head;
}

void Ring::put(std::uint16_t index, const Block& piece, std::uint16_t flags, bool last) const {
    memory_.set_descriptor(
        index, {.address = piece.guest,
                .length = static_cast<std::uint32_t>(piece.bytes.size()),
                .flags = static_cast<std::uint16_t>(last ? flags : flags | vhost::kDescriptorNext),
                .next = last ? std::uint16_t{0} : next_[index]});
}

bool Ring::kick_wanted() const {
    return (memory_.used_flags() & vhost::kUsedNoNotify) == 0;
}

std::expected<UsedElement, NotPopped> Ring::pop() {
    const auto waiting = static_cast<std::uint16_t>(memory_.used_index() - next_used_);
    if (waiting == 0) return std::unexpected(NotPopped::Empty);
    if (waiting > outstanding_) return std::unexpected(NotPopped::UsedIndex);
    const UsedElement used = memory_.used(next_used_);
    if (used.head >= memory_.size() || length_[used.head] == 0)
        return std::unexpected(NotPopped::UnknownHead);

    const auto head = static_cast<std::uint16_t>(used.head);
    std::uint16_t last = head;
    for (std::uint16_t i = 1; i < length_[head]; ++i)
        last = next_[last];
    next_[last] = first_free_;
    first_free_ = head;
    free_ = static_cast<std::uint16_t>(free_ + length_[head]);
    length_[head] = 0;
    --outstanding_;
    ++next_used_;
    return used;
}

void Ring::refuse_interrupts() const {
    memory_.set_available_flags(vhost::kAvailableNoInterrupt);
}

bool Ring::accept_interrupts() const {
    memory_.set_available_flags(0);
    return memory_.used_index() == next_used_;
}

}  // namespace driver
