// SPDX-License-Identifier: MIT
#include "provider/fault/audit.hpp"

#include <utility>

namespace fault {

void Audit::add(Object object, Record record) noexcept {
    const std::scoped_lock lock(mutex_);
    for (const Object below : record.stands_on)
        ++records_.at(below).dependants;
    records_.insert_or_assign(object, std::move(record));
}

bool Audit::may_use(Object object) noexcept {
    const std::scoped_lock lock(mutex_);
    const bool may = live(object);
    if (!may) ++violations_;
    return may;
}

std::expected<Audit::Record, Audit::Violation> Audit::take(Object object) noexcept {
    const std::scoped_lock lock(mutex_);
    if (!live(object)) {
        ++violations_;
        return std::unexpected(Violation::NotLive);
    }
    if (Record& record = records_.at(object); record.dependants != 0) {
        ++violations_;
        record.lost = true;
        return std::unexpected(Violation::TooEarly);
    }
    Record record = std::move(records_.extract(object).mapped());
    for (const Object below : record.stands_on)
        --records_.at(below).dependants;
    return record;
}

std::optional<provider::EventState> Audit::completion(Object event) const noexcept {
    const std::scoped_lock lock(mutex_);
    const auto found = records_.find(event);
    return found == records_.end() ? std::nullopt : found->second.completion;
}

void Audit::complete(Object event, provider::EventState state) noexcept {
    const std::scoped_lock lock(mutex_);
    records_.at(event).completion = state;
}

bool Audit::live(Object object) const {
    const auto found = records_.find(object);
    return found != records_.end() && !found->second.lost;
}

}  // namespace fault
