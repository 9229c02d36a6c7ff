// SPDX-License-Identifier: MIT
//
// Counts what `operator new` hands out. The program that links allocations.cpp has every
// form of it replaced.
#pragma once

#include <cstddef>
#include <cstdint>

namespace budget {

// The allocations of this thread while the object lives. At most one lives at a time in a
// thread; without one nothing is counted.
class Allocations {
 public:
    Allocations();
    ~Allocations();
    Allocations(const Allocations&) = delete;
    Allocations& operator=(const Allocations&) = delete;

    [[nodiscard]] std::uint64_t calls() const;
    [[nodiscard]] std::uint64_t bytes() const;
};

}  // namespace budget
