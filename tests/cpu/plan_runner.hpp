// SPDX-License-Identifier: MIT
//
// Runs a plan in one thread, without a provider around it.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/execute.hpp"
#include "cpu/memory.hpp"

namespace cpu::test {

using Bytes = std::vector<std::byte>;

// The contents of the outputs. Each buffer is an allocation of its own, and memory that is
// not written yet is not 0.
inline std::vector<Bytes> run(const Plan& plan, const std::vector<Bytes>& inputs) {
    constexpr int kGarbage = 0xA5;
    std::vector<Bytes> buffers = inputs;
    for (std::size_t i = inputs.size(); i < plan.slots.size(); ++i)
        buffers.emplace_back(plan.slots[i].bytes, std::byte{kGarbage});
    std::vector<std::byte*> slots;
    for (Bytes& buffer : buffers)
        slots.push_back(buffer.data());
    const Memory arena(plan.arena_bytes, kCacheLine);
    const Memory scratch(plan.scratch_bytes, kCacheLine);
    std::memset(arena.data(), kGarbage, plan.arena_bytes);
    std::memset(scratch.data(), kGarbage, plan.scratch_bytes);
    plan.initialise(arena.data());

    // The later units first: none may rely on an earlier one.
    const auto compute = [&](const Kernel& kernel, Operands operands) {
        operands.scratch = scratch.data();
        const std::uint64_t half = kernel.units() / 2;
        kernel.run(operands, half, kernel.units());
        if (half > 0) kernel.run(operands, 0, half);
        return true;
    };
    static_cast<void>(execute(plan, {slots, arena.data()}, 0, compute));
    return {buffers.begin() + static_cast<std::ptrdiff_t>(inputs.size()), buffers.end()};
}

}  // namespace cpu::test
