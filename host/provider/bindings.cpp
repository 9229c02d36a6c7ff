// SPDX-License-Identifier: MIT
#include "provider/bindings.hpp"

namespace provider {

namespace {

bool takes(const Slot& slot, const Binding& binding) {
    return binding.bytes == slot.bytes && binding.offset % slot.alignment == 0 &&
           binding.access == slot.access;
}

bool clash(const Binding& a, const Binding& b) {
    const bool written = a.access != Access::Read || b.access != Access::Read;
    return written && a.buffer == b.buffer && a.offset < b.offset + b.bytes &&
           b.offset < a.offset + a.bytes;
}

}  // namespace

bool fits(std::span<const Binding> bindings, std::span<const Slot> slots) {
    if (bindings.size() != slots.size()) return false;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (bindings[i].slot != i || !takes(slots[i], bindings[i])) return false;
        for (const Binding& before : bindings.first(i))
            if (clash(before, bindings[i])) return false;
    }
    return true;
}

}  // namespace provider
