// SPDX-License-Identifier: MIT
#include "model/minimise.hpp"

#include <algorithm>

namespace model {

namespace {

using Fails = std::function<bool(const Schedule&)>;

// Leaves out `length` elements at a time, down to single ones.
template <class T>
bool shrink(Schedule& schedule, std::vector<T>& list, const Fails& fails) {
    bool changed = false;
    for (std::size_t length = list.size(); length > 0; length /= 2) {
        for (std::size_t at = 0; at < list.size();) {
            const std::vector<T> before = list;
            const auto first = list.begin() + static_cast<std::ptrdiff_t>(at);
            const auto count = std::min(length, list.size() - at);
            list.erase(first, first + static_cast<std::ptrdiff_t>(count));
            if (fails(schedule)) {
                changed = true;
            } else {
                list = before;
                at += length;
            }
        }
    }
    return changed;
}

// Puts one thing as usual as it can be.
template <class T>
bool simplify(const Schedule& schedule, T& value, const T& usual, const Fails& fails) {
    if (value == usual) return false;
    const T before = std::exchange(value, usual);
    if (fails(schedule)) return true;
    value = before;
    return false;
}

// A SUBMIT without one of its bindings.
bool drop_bindings(const Schedule& schedule, Step& step, const Fails& fails) {
    constexpr std::ptrdiff_t kCount = 2;
    constexpr std::ptrdiff_t kPrefix = 5;
    constexpr std::ptrdiff_t kGroup = 6;
    bool changed = false;
    for (std::ptrdiff_t at = kPrefix; step.opcode == kSubmit && std::ssize(step.fields) > at;) {
        std::vector<Word> fewer = step.fields;
        fewer.erase(fewer.begin() + at,
                    fewer.begin() + std::min(at + kGroup, std::ssize(step.fields)));
        --fewer[kCount].value;
        if (simplify(schedule, step.fields, fewer, fails))
            changed = true;
        else
            at += kGroup;
    }
    return changed;
}

}  // namespace

Schedule minimise(Schedule schedule, const Fails& fails) {
    const Step usual{};
    for (bool changed = true; changed;) {
        changed = shrink(schedule, schedule.steps, fails);
        for (Step& step : schedule.steps) {
            changed |= shrink(schedule, step.injections, fails);
            changed |= drop_bindings(schedule, step, fails);
            changed |= simplify(schedule, step.tail, usual.tail, fails);
            changed |= simplify(schedule, step.cut, usual.cut, fails);
            changed |= simplify(schedule, step.flags, usual.flags, fails);
            changed |= simplify(schedule, step.request_id, usual.request_id, fails);
            changed |= simplify(schedule, step.declared_bytes, usual.declared_bytes, fails);
            changed |= simplify(schedule, step.room, usual.room, fails);
            changed |= simplify(schedule, step.piece, usual.piece, fails);
        }
    }
    return schedule;
}

}  // namespace model
