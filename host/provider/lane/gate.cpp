// SPDX-License-Identifier: MIT
#include "provider/lane/gate.hpp"

#include <algorithm>

namespace dispatch {

bool Gate::enter() {
    std::uint32_t users = users_.load();
    do {
        if (users >= places_) return false;  // kClosed is more than any number of places
    } while (!users_.compare_exchange_weak(users, users + 1));
    return true;
}

void Gate::leave() {
    users_.fetch_sub(1);
}

bool Gate::close() {
    std::uint32_t none = 0;
    return users_.compare_exchange_strong(none, kClosed);
}

bool Gate::in_use() const {
    const std::uint32_t users = users_.load();
    return users != 0 && users != kClosed;
}

Uses::Uses(Touched gates) : gates_(std::move(gates)) {
    std::ranges::sort(gates_);
    const auto repeated = std::ranges::unique(gates_);
    gates_.erase(repeated.begin(), repeated.end());
}

bool Uses::enter() {
    while (entered_ < gates_.size() && gates_[entered_]->enter())
        ++entered_;
    if (entered_ == gates_.size()) return true;
    leave();
    return false;
}

void Uses::leave() {
    while (entered_ > 0)
        gates_[--entered_]->leave();
}

void Uses::end() {
    leave();
    gates_.clear();
}

}  // namespace dispatch
