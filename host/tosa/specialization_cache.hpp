// SPDX-License-Identifier: MIT
//
// The specializations of a program that are kept, the least recently used one going first
// (providers.md 1.11).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tosa/specialization.hpp"

namespace tosa {

// Few entries that are dear to make, so they lie in a row and are searched from its start.
// No lock: whoever shares a cache holds one around each call and each use of what get()
// returns. Stamp is a parameter because no test waits for 2^64 uses.
template <class T, std::unsigned_integral Stamp = std::uint64_t>
    requires std::is_nothrow_move_constructible_v<T>
class SpecializationCache {
 public:
    // What an insertion could not take.
    struct Rejected {
        SpecializationKey key;
        T value;
    };

    // Nothing for a capacity that is zero or that the stamps cannot count.
    [[nodiscard]] static std::optional<SpecializationCache> create(
        std::size_t capacity,
        std::pmr::memory_resource* memory = std::pmr::get_default_resource()) {
        if (capacity == 0 || capacity >= std::numeric_limits<Stamp>::max()) return std::nullopt;
        return SpecializationCache(capacity, memory);
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }

    // Null where the key is unknown; valid until the next insert().
    [[nodiscard]] T* get(const SpecializationKey& key) {
        Entry* entry = find(key);
        if (entry == nullptr) return nullptr;
        entry->last_used = tick();
        return &entry->value;
    }

    // The value that was there under the same key, or that had to go, for the caller to
    // release what it stands for.
    [[nodiscard]] std::expected<std::optional<T>, Rejected> insert(SpecializationKey key, T value) {
        Entry* place = find(key);
        if (place == nullptr && entries_.size() == capacity_) place = &*oldest();
        if (place != nullptr) return replace(*place, std::move(key), std::move(value));
        if (!grow()) return std::unexpected(Rejected{std::move(key), std::move(value)});
        const Stamp now = tick();
        entries_.emplace_back(std::move(key), std::move(value), now);
        return std::nullopt;
    }

 private:
    struct Entry {
        SpecializationKey key;
        T value;
        Stamp last_used;  // unique, and never zero
    };

    SpecializationCache(std::size_t capacity, std::pmr::memory_resource* memory)
        : capacity_(capacity), entries_(memory) {}

    [[nodiscard]] Entry* find(const SpecializationKey& key) {
        const auto found = std::ranges::find(entries_, key, &Entry::key);
        return found == entries_.end() ? nullptr : &*found;
    }

    [[nodiscard]] auto oldest() {
        return std::ranges::min_element(entries_, {}, &Entry::last_used);
    }

    // Built anew rather than assigned: the keys may be of different memory resources.
    T replace(Entry& entry, SpecializationKey key, T value) {
        T old = std::move(entry.value);
        const Stamp now = tick();
        std::destroy_at(&entry);
        std::construct_at(&entry, std::move(key), std::move(value), now);
        return old;
    }

    // Room for one more.
    [[nodiscard]] bool grow() {
        if (entries_.size() < entries_.capacity()) return true;
        try {
            entries_.reserve(std::min(capacity_, std::max<std::size_t>(4, 2 * entries_.size())));
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        } catch (const std::length_error&) {
            return false;
        }
    }

    [[nodiscard]] Stamp tick() {
        if (clock_ == std::numeric_limits<Stamp>::max()) renumber();
        return ++clock_;
    }

    // 1, 2, 3 and so on in the order that the stamps have: the n-th smallest is n at least,
    // so no new stamp is larger than one that is still to be found.
    void renumber() {
        clock_ = 0;
        Stamp last = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const auto newer = [&](const Entry& entry) { return entry.last_used > last; };
            auto next = std::ranges::find_if(entries_, newer);
            for (auto entry = next; entry != entries_.end(); ++entry)
                if (newer(*entry) && entry->last_used < next->last_used) next = entry;
            last = std::exchange(next->last_used, ++clock_);
        }
    }

    std::size_t capacity_;
    Stamp clock_ = 0;  // the last stamp given out
    std::pmr::vector<Entry> entries_;
};

}  // namespace tosa
