// SPDX-License-Identifier: MIT
#include "vhost/ring.hpp"

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

Ring::Ring(RingView view, std::uint16_t next_available)
    : view_(std::move(view)),
      next_available_(next_available),
      next_used_(view_.used_index()),
      in_flight_(view_.size()) {}

std::expected<bool, RingFault> Ring::pop(DescriptorChain& chain, std::uint16_t limit) {
    const auto waiting = static_cast<std::uint16_t>(view_.available_index() - next_available_);
    if (waiting == 0) return false;
    if (waiting > view_.size()) return std::unexpected(RingFault::AvailableIndex);

    const auto position = static_cast<std::uint16_t>(next_available_ % view_.size());
    const std::uint16_t head = view_.available_head(position);
    if (head >= view_.size()) return std::unexpected(RingFault::HeadOutOfRange);
    if (in_flight_[head]) return std::unexpected(RingFault::HeadInFlight);

    chain.load(view_, head, limit);
    in_flight_[head] = true;
    ++next_available_;
    return true;
}

std::expected<void, RingFault> Ring::complete(const DescriptorChain& chain, std::uint32_t used) {
    if (used > chain.writable_bytes()) return std::unexpected(RingFault::UsedOverflow);
    const auto position = static_cast<std::uint16_t>(next_used_ % view_.size());
    view_.set_used_element(position, chain.head(), used);
    view_.set_used_index(++next_used_);
    in_flight_[chain.head()] = false;
    return {};
}

bool Ring::interrupt_wanted() const {
    return (view_.available_flags() & kAvailableNoInterrupt) == 0;
}

bool Ring::accept_kicks() {
    view_.set_used_flags(0);
    return view_.available_index() == next_available_;
}

}  // namespace vhost
