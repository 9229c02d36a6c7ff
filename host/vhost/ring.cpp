// SPDX-License-Identifier: MIT
#include "vhost/ring.hpp"

#include <ctime>

namespace vhost {

std::string_view name(RingFault fault) {
    switch (fault) {
        case RingFault::AvailableIndex:
            return "available index jumps past the ring";
        case RingFault::HeadOutOfRange:
            return "chain head out of range";
        case RingFault::HeadInFlight:
            return "chain published while in flight";
        case RingFault::UsedOverflow:
            return "completion longer than its chain";
        case RingFault::KickDescriptor:
            return "kick descriptor cannot be read";
    }
    std::unreachable();
}

// Of a step, every store is seen by who comes after only if those before it are. That is
// a matter of the compiler: what a dead process has stored is seen in whole.
constexpr auto kInOrder = std::memory_order_release;

std::uint32_t RingState::ticks() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const auto ms = static_cast<std::uint64_t>(now.tv_sec) * 1000 +
                    static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
    return static_cast<std::uint32_t>(ms) | 1;
}

Ring::Ring(RingView view, std::uint16_t next_available, RingState& state)
    : view_(std::move(view)), state_(&state), next_used_(view_.used_index()) {
    state.taking = 0;
    state.completing = 0;
    state.next_available = next_available;
    for (std::uint16_t head = 0; head < view_.size(); ++head)
        state.taken[head].store(0, std::memory_order_relaxed);
}

std::expected<bool, RingFault> Ring::pop(DescriptorChain& chain, std::uint16_t limit) {
    const std::uint16_t next = next_available();
    const auto waiting = static_cast<std::uint16_t>(view_.available_index() - next);
    if (waiting == 0) return false;
    if (waiting > view_.size()) return std::unexpected(RingFault::AvailableIndex);

    const auto position = static_cast<std::uint16_t>(next % view_.size());
    const std::uint16_t head = view_.available_head(position);
    if (head >= view_.size()) return std::unexpected(RingFault::HeadOutOfRange);
    if (state_->taken[head].load(std::memory_order_relaxed) != 0)
        return std::unexpected(RingFault::HeadInFlight);

    const auto after = static_cast<std::uint16_t>(next + 1);
    state_->taking.store(RingState::announced({head, after}), kInOrder);
    state_->taken[head].store(RingState::ticks(), kInOrder);
    state_->next_available.store(after, kInOrder);
    state_->consumed.store(state_->consumed.load(std::memory_order_relaxed) + 1, kInOrder);
    state_->taking.store(0, kInOrder);
    chain.load(view_, head, limit);
    return true;
}

std::expected<void, RingFault> Ring::complete(const DescriptorChain& chain, std::uint32_t used) {
    if (used > chain.writable_bytes()) return std::unexpected(RingFault::UsedOverflow);
    const auto position = static_cast<std::uint16_t>(next_used_ % view_.size());
    view_.set_used_element(position, chain.head(), used);
    state_->completing.store(RingState::announced({chain.head(), ++next_used_}), kInOrder);
    view_.set_used_index(next_used_);
    state_->taken[chain.head()].store(0, kInOrder);
    state_->completing.store(0, kInOrder);
    return {};
}

std::vector<std::uint16_t> Ring::take_over() {
    next_used_ = view_.used_index();
    const auto taking = RingState::announced_step(state_->taking.exchange(0));
    if (taking && taking->head < view_.size()) {
        state_->taken[taking->head] = RingState::ticks();
        state_->next_available = taking->index;
    }
    const auto completing = RingState::announced_step(state_->completing.exchange(0));
    if (completing && completing->head < view_.size() && completing->index == next_used_) {
        state_->taken[completing->head] = 0;
    }
    std::vector<std::uint16_t> heads;
    for (std::uint16_t head = 0; head < view_.size(); ++head)
        if (state_->taken[head] != 0) heads.push_back(head);
    return heads;
}

bool Ring::interrupt_wanted() const {
    return (view_.available_flags() & kAvailableNoInterrupt) == 0;
}

bool Ring::accept_kicks() {
    view_.set_used_flags(0);
    return !waiting();
}

}  // namespace vhost
