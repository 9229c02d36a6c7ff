// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tosa {

// The names of one scope, sorted once, then searched for each reference.
class NameIndex {
 public:
    void reserve(std::size_t names) { entries_.reserve(names); }
    void clear() { entries_.clear(); }
    void add(std::string_view name, std::uint32_t id) { entries_.emplace_back(name, id); }

    // To be called after the last add(). Gives a name that is there twice.
    [[nodiscard]] std::optional<std::string_view> sort() {
        std::ranges::sort(entries_);
        const auto twice = std::ranges::adjacent_find(entries_, {}, &Entry::first);
        if (twice == entries_.end()) return std::nullopt;
        return twice->first;
    }

    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const {
        const auto found = std::ranges::lower_bound(entries_, name, {}, &Entry::first);
        if (found == entries_.end() || found->first != name) return std::nullopt;
        return found->second;
    }

 private:
    using Entry = std::pair<std::string_view, std::uint32_t>;
    std::vector<Entry> entries_;
};

}  // namespace tosa
