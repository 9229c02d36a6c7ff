// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "vhost/descriptor_chain.hpp"
#include "vhost/ring_view.hpp"

namespace hostile {

// The device's side of a split ring that publishes whatever it is told to. It knows no
// notification flag: it takes what is there on every kick.
class Ring {
 public:
    explicit Ring(vhost::RingView view) : view_(std::move(view)) {}

    // The next chain, null when there is none.
    [[nodiscard]] std::unique_ptr<vhost::DescriptorChain> pop() {
        if (view_.available_index() == next_available_) return nullptr;
        const auto head =
            view_.available_head(static_cast<std::uint16_t>(next_available_++ % view_.size()));
        auto chain = std::make_unique<vhost::DescriptorChain>();
        chain->load(view_, head, view_.size());
        return chain;
    }

    void publish(std::uint32_t id, std::uint32_t length) {
        view_.set_used_element(static_cast<std::uint16_t>(used_ % view_.size()), id, length);
        jump(1);
    }
    void jump(std::uint16_t elements) {
        used_ = static_cast<std::uint16_t>(used_ + elements);
        view_.set_used_index(used_);
    }
    void set_flags(std::uint16_t flags) { view_.set_used_flags(flags); }

    [[nodiscard]] std::uint16_t next_available() const { return next_available_; }

 private:
    vhost::RingView view_;
    std::uint16_t next_available_ = 0;
    std::uint16_t used_ = 0;
};

}  // namespace hostile
