// SPDX-License-Identifier: MIT
//
// One command as the engine sees it: two sequences of bytes, each in pieces. There
// are no addresses, descriptor indices or ring pointers here.
#pragma once

#include <cstddef>
#include <span>

namespace wire {

// The pieces of each direction are concatenated without gaps. The transport has
// mapped and checked them: every byte may be accessed until the chain is completed.
// They are guest memory: the guest may change them at any time.
struct Chain {
    std::span<const std::span<const std::byte>> readable;
    std::span<const std::span<std::byte>> writable;
};

}  // namespace wire
