// SPDX-License-Identifier: MIT
//
// The inputs that TOSA wants as compile-time constants, and what each is for (providers.md
// 1.8.1). With EXT-DYNAMIC they may become known at run time only.
#pragma once

#include <cstdint>
#include <span>

#include "tosa/graph.hpp"

namespace tosa {

enum class ConstantUse : std::uint8_t {
    ZeroPoint,
    Padding,
    PadValue,
    TargetShape,
    SliceStart,
    SliceSize,
    Multiples,
    Resize,  // scale, offset, border: they have rules together only
    MulShift,
    Table,
    RescaleMultiplier,
    RescaleShift,
};

struct CompileTimeInput {
    Op op;
    std::uint8_t input;
    ConstantUse use;
};

// Those of an operator, ascending.
[[nodiscard]] std::span<const CompileTimeInput> compile_time_inputs(Op op);

// Whether a bad value is an error that must be found before the run (providers.md 1.10).
[[nodiscard]] bool required_error_check(ConstantUse use);

}  // namespace tosa
