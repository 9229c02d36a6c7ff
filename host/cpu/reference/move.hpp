// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "cpu/reference/call.hpp"
#include "tosa/encoding.hpp"

namespace cpu::reference {

// Copies one element, whatever it means. Every type that TOSA moves has whole bytes:
// INT4 goes no further than IDENTITY, which copies all of its bytes.
inline void move(const Output& out, std::uint64_t to, const Input& in, std::uint64_t from) {
    const auto width = static_cast<std::size_t>(tosa::buffer_bytes(in.is.type, 1));
    std::memcpy(out.data + to * width, in.data + from * width, width);
}

}  // namespace cpu::reference
