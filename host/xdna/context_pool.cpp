// SPDX-License-Identifier: MIT
#include "xdna/context_pool.hpp"

#include <algorithm>

namespace xdna {

Result<std::shared_ptr<Context>> ContextPool::acquire(std::span<const std::byte> xclbin) {
    if (auto known = find(xclbin)) return known;
    auto made = npu_->create_context(xclbin);
    while (!made && made.error().kind == ErrorKind::ResourceLimit && give_up_oldest())
        made = npu_->create_context(xclbin);
    if (!made) return std::unexpected(made.error());
    return insert(std::make_shared<Entry>(xclbin, std::move(*made), quarantine_));
}

void ContextPool::trim() {
    for (;;) {
        std::shared_ptr<Entry> given_up;
        {
            const std::scoped_lock lock(mutex_);
            given_up = take_oldest_idle(kIdle);
        }
        if (!given_up) return;
    }
}

bool ContextPool::give_up_oldest() {
    std::shared_ptr<Entry> given_up;
    const std::scoped_lock lock(mutex_);
    given_up = take_oldest_idle();
    return given_up != nullptr;
}

std::shared_ptr<Context> ContextPool::find(std::span<const std::byte> xclbin) {
    const std::scoped_lock lock(mutex_);
    return use(xclbin);
}

// Another thread may have been faster; then what we made goes, after the mutex.
std::shared_ptr<Context> ContextPool::insert(std::shared_ptr<Entry> made) {
    const std::scoped_lock lock(mutex_);
    if (auto known = use(made->xclbin)) return known;
    const auto& kept = entries_.emplace_back(std::move(made));
    return {kept, &*kept->context};
}

std::shared_ptr<Context> ContextPool::use(std::span<const std::byte> xclbin) {
    const auto found = std::ranges::find_if(
        entries_, [&](const auto& entry) { return std::ranges::equal(entry->xclbin, xclbin); });
    if (found == entries_.end()) return nullptr;
    std::rotate(found, found + 1, entries_.end());
    const auto& entry = entries_.back();
    return {entry, &*entry->context};
}

std::shared_ptr<ContextPool::Entry> ContextPool::take_oldest_idle(std::size_t but) {
    const auto idle = [](const auto& entry) { return entry.use_count() == 1; };
    if (std::ranges::count_if(entries_, idle) <= static_cast<std::ptrdiff_t>(but)) return nullptr;
    const auto oldest = std::ranges::find_if(entries_, idle);
    auto taken = std::move(*oldest);
    entries_.erase(oldest);
    return taken;
}

}  // namespace xdna
