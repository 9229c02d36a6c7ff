// SPDX-License-Identifier: MIT
//
// Operators that compute each output element from one element of each input.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "cpu/reference/call.hpp"

namespace cpu::reference {

// Where in `in` the element lies that broadcasts to element `i` of `out`. Shapes are
// aligned at their last axes (providers.md 1.8.4).
inline std::uint64_t broadcast(const Type& out, const Type& in, std::uint64_t i) {
    std::uint64_t at = 0;
    std::uint64_t stride = 1;
    for (std::size_t back = 1; back <= in.dims.size(); ++back) {
        const std::uint64_t out_extent = out.extent(out.dims.size() - back);
        const std::uint64_t extent = in.extent(in.dims.size() - back);
        if (extent != 1) at += i % out_extent * stride;
        stride *= extent;
        i /= out_extent;
    }
    return at;
}

template <std::floating_point T>
void put(const Output& out, std::uint64_t i, T value) {
    out.put_real(i, value);
}

template <std::integral T>
void put(const Output& out, std::uint64_t i, T value) {
    out.put_integer(i, static_cast<std::int64_t>(value));
}

}  // namespace cpu::reference
