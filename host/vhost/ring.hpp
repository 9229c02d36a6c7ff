// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "vhost/descriptor_chain.hpp"
#include "vhost/ring_state.hpp"
#include "vhost/ring_view.hpp"

namespace vhost {

// Why a ring cannot be served any further: nothing in it can be trusted.
enum class RingFault : std::uint8_t {
    AvailableIndex,  // more chains than the ring has room for
    HeadOutOfRange,
    HeadInFlight,    // published again before its completion
    UsedOverflow,    // the handler claims more bytes than are writable
    KickDescriptor,  // it cannot be read
};
[[nodiscard]] std::string_view name(RingFault fault);

// The device's side of a split ring from one start to the next stop. Chains are taken
// in the order in which they were published and may be completed in any. One thread
// at a time.
class Ring {
 public:
    // Starts with the available entry that the front end names and where the used ring
    // stands. The state outlives the ring, and begins anew with it.
    Ring(RingView view, std::uint16_t next_available, RingState& state);

    // The next chain, false when there is none.
    [[nodiscard]] std::expected<bool, RingFault> pop(DescriptorChain& chain, std::uint16_t limit);
    // Publishes a chain's first `used` writable bytes; the guest owns it again.
    [[nodiscard]] std::expected<void, RingFault> complete(const DescriptorChain& chain,
                                                          std::uint32_t used);

    // Goes on where another process, which is dead, has left the state. Returns the heads
    // of the chains that it has not completed.
    [[nodiscard]] std::vector<std::uint16_t> take_over();
    // For one of those: what is in flight already.
    void reload(DescriptorChain& chain, std::uint16_t head, std::uint16_t limit) const {
        chain.load(view_, head, limit);
    }

    // To be asked after complete().
    [[nodiscard]] bool interrupt_wanted() const;

    // While chains are being taken, kicks are waste.
    void refuse_kicks() { view_.set_used_flags(kUsedNoNotify); }
    [[nodiscard]] bool waiting() const { return view_.available_index() != next_available(); }
    // False when a chain came in meanwhile, whose kick the guest may have left out.
    [[nodiscard]] bool accept_kicks();

    [[nodiscard]] std::uint16_t next_available() const {
        return state_->next_available.load(std::memory_order_relaxed);
    }
    // The same ring after guest memory was mapped anew.
    void move_to(RingView view) { view_ = std::move(view); }

 private:
    RingView view_;
    RingState* state_;
    std::uint16_t next_used_;
};

}  // namespace vhost
