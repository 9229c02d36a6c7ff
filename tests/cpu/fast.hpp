// SPDX-License-Identifier: MIT
//
// What tests of fast kernels share: every instruction set in turn, and numbers to compute on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cpu/kernels/targets.hpp"
#include "cpu/memory.hpp"
#include "tosa/number.hpp"

// Highway's own order: what is to be dispatched to has to be known first.
#include <hwy/highway.h>

namespace cpu::test {

// Runs `body` once on each instruction set that both this machine and the kernels have.
template <class Body>
void on_every_target(Body body) {
    constexpr std::int64_t kTargets[] = {HWY_SSE2, HWY_AVX2, HWY_AVX3, HWY_AVX3_DL};
    const std::int64_t supported = hwy::SupportedTargets();
    for (const std::int64_t target : kTargets) {
        if ((supported & target) == 0) continue;
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(target);
        const std::string name = hwy::TargetName(target);
        CAPTURE(name);
        body();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Contents of a tensor, in its type.
inline std::vector<std::byte> random_contents(tosa::DType type, std::uint64_t count,
                                              unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> real(-2, 2);
    std::uniform_int_distribution<int> byte(-128, 127);
    std::vector<std::byte> contents(count * 4);  // enough for every type
    for (std::uint64_t i = 0; i < count; ++i)
        if (tosa::is_float(type))
            tosa::write_float(type, contents.data(), i, real(generator));
        else
            tosa::write_integer(type, contents.data(), i, byte(generator));
    return contents;
}

// So that memory sanitizers and wrong zeros have something to find.
inline void poison(Memory& memory, std::size_t bytes) {
    std::fill_n(memory.data(), bytes, std::byte{0xFF});
}

}  // namespace cpu::test
