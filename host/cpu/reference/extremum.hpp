// SPDX-License-Identifier: MIT
//
// The larger and the smaller of two numbers, as everything in TOSA that compares takes
// them (TOSA "Arithmetic Helpers", providers.md 2.2). Of zeros of both signs either may
// win in TOSA; which one does follows from the comparison written here.
#pragma once

#include <cmath>
#include <concepts>
#include <optional>

#include "tosa/types.hpp"
#include "tosa_generated.h"

namespace cpu::reference {

inline tosa::NanMode nan_mode(tosa::fbs::NanPropagationMode serialized) {
    return static_cast<tosa::NanMode>(serialized);
}

// The result where a NaN takes part.
template <class T>
std::optional<T> unordered(T a, T b, tosa::NanMode mode) {
    if constexpr (std::floating_point<T>) {
        const bool propagate = mode == tosa::NanMode::Propagate;
        if (std::isnan(a)) return propagate ? a : b;
        if (std::isnan(b)) return propagate ? b : a;
    }
    return std::nullopt;
}

template <class T>
T maximum(T a, T b, tosa::NanMode mode) {
    if (const auto nan = unordered(a, b, mode)) return *nan;
    return a >= b ? a : b;
}

template <class T>
T minimum(T a, T b, tosa::NanMode mode) {
    if (const auto nan = unordered(a, b, mode)) return *nan;
    return a < b ? a : b;
}

}  // namespace cpu::reference
