// SPDX-License-Identifier: MIT
//
// The rules of buffers and bindings that the engine and every provider apply alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "provider/provider.hpp"

namespace provider {

inline constexpr std::uint32_t kUsageProgram =
    kUsageProgramInput | kUsageProgramOutput | kUsageMutableState;

[[nodiscard]] constexpr bool within(std::uint64_t offset, std::uint64_t bytes,
                                    std::uint64_t whole) {
    return offset <= whole && bytes <= whole - offset;
}

// Input and output together do not permit read-write access (protocol.md 1.7).
[[nodiscard]] constexpr bool permits(std::uint32_t usage, Access access) {
    switch (access) {
        case Access::Read:
            return (usage & (kUsageProgramInput | kUsageMutableState)) != 0;
        case Access::Write:
            return (usage & (kUsageProgramOutput | kUsageMutableState)) != 0;
        case Access::ReadWrite:
            return (usage & kUsageMutableState) != 0;
    }
    return false;
}

// What submit() rejects whatever the program, in the order of protocol.md 6.2.
// `in_context(buffer)` tells whether a buffer belongs to the queue's context.
template <class InContext>
[[nodiscard]] Result<void> check_bindings(std::span<const Binding> bindings,
                                          std::uint32_t max_bindings, InContext in_context) {
    for (const Binding& binding : bindings)
        if (!in_context(*binding.buffer)) return std::unexpected(ErrorKind::InvalidArgument);
    for (const Binding& binding : bindings)
        if (!within(binding.offset, binding.bytes, binding.buffer->info().desc.bytes))
            return std::unexpected(ErrorKind::OutOfBounds);
    if (bindings.empty() || bindings.size() > max_bindings)
        return std::unexpected(ErrorKind::ResourceLimit);
    if (std::ranges::adjacent_find(bindings, std::greater_equal<>(), &Binding::slot) !=
        bindings.end())
        return std::unexpected(ErrorKind::InvalidArgument);
    for (const Binding& binding : bindings)
        if (!permits(binding.buffer->info().desc.usage, binding.access))
            return std::unexpected(ErrorKind::PermissionDenied);
    return {};
}

// What a program takes at one of its slots, which are numbered from 0.
struct Slot {
    std::uint64_t bytes = 0;  // exactly
    std::uint64_t alignment = 1;
    Access access = Access::Read;
};

// Whether bindings that passed check_bindings() are what the program takes: each slot
// once, and no written range that another binding touches.
[[nodiscard]] bool fits(std::span<const Binding> bindings, std::span<const Slot> slots);

}  // namespace provider
