// SPDX-License-Identifier: MIT
#include "cpu/bindings.hpp"

namespace cpu {
namespace {

using provider::Access;
using provider::Binding;
using provider::ErrorKind;
using provider::Result;

bool usage_allows(std::uint32_t usage, Access access) {
    if ((usage & provider::kUsageMutableState) != 0) return true;
    switch (access) {
        case Access::Read:
            return (usage & provider::kUsageProgramInput) != 0;
        case Access::Write:
            return (usage & provider::kUsageProgramOutput) != 0;
        case Access::ReadWrite:
            return false;
    }
    return false;
}

Result<void> check_range(const ContextObject& context, const Binding& binding) {
    const auto& buffer = static_cast<const BufferObject&>(*binding.buffer);
    const provider::BufferDesc& desc = buffer.about.desc;
    if (&buffer.context != &context) return std::unexpected(ErrorKind::InvalidArgument);
    if (binding.offset > desc.bytes || binding.bytes > desc.bytes - binding.offset)
        return std::unexpected(ErrorKind::OutOfBounds);
    if (!usage_allows(desc.usage, binding.access))
        return std::unexpected(ErrorKind::PermissionDenied);
    return {};
}

bool fits(const Binding& binding, const Slot& slot) {
    return binding.bytes == slot.bytes && binding.offset % slot.alignment == 0 &&
           binding.access == (slot.output ? Access::Write : Access::Read);
}

bool overlap(const Binding& a, const Binding& b) {
    return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

bool conflict(std::span<const Binding> bindings) {
    for (std::size_t i = 0; i < bindings.size(); ++i)
        for (const Binding& other : bindings.subspan(i + 1))
            if ((bindings[i].access != Access::Read || other.access != Access::Read) &&
                overlap(bindings[i], other))
                return true;
    return false;
}

}  // namespace

Result<void> check_bindings(const ContextObject& context, const ProgramObject& program,
                            std::span<const Binding> bindings, std::uint32_t max_bindings) {
    if (bindings.empty() || bindings.size() > max_bindings)
        return std::unexpected(ErrorKind::ResourceLimit);
    for (std::size_t i = 1; i < bindings.size(); ++i)
        if (bindings[i].slot <= bindings[i - 1].slot)
            return std::unexpected(ErrorKind::InvalidArgument);
    for (const Binding& binding : bindings)
        if (auto range = check_range(context, binding); !range) return range;

    // Ascending, distinct, and as many as there are slots: binding i is slot i.
    const auto& slots = program.plan.slots;
    if (bindings.size() != slots.size() || bindings.back().slot != slots.size() - 1)
        return std::unexpected(ErrorKind::Incompatible);
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (!fits(bindings[i], slots[i])) return std::unexpected(ErrorKind::Incompatible);
    if (conflict(bindings)) return std::unexpected(ErrorKind::Incompatible);
    return {};
}

}  // namespace cpu
