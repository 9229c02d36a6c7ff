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

Result<Uses> Uses::enter(Touched gates) {
    std::ranges::sort(gates);
    const auto repeated = std::ranges::unique(gates);
    gates.erase(repeated.begin(), repeated.end());

    const auto refuses =
        std::ranges::find_if(gates, [](const auto& gate) { return !gate->enter(); });
    const bool entered_all = refuses == gates.end();
    gates.erase(refuses, gates.end());
    Uses uses;
    uses.gates_ = std::move(gates);
    if (!entered_all) return std::unexpected(ErrorKind::Busy);
    return uses;
}

void Uses::leave() {
    for (const auto& gate : gates_)
        gate->leave();
    gates_.clear();
}

}  // namespace dispatch
