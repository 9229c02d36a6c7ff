// SPDX-License-Identifier: MIT
//
// Where binaries of kernels come from. Finding one may take a compiler's time, and never
// happens but in load_program().
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "provider/error.hpp"
#include "xdna/binary.hpp"
#include "xdna/spec.hpp"

namespace xdna {

// Unsupported: there is none, and nobody who could make one. External: making it failed.
struct NoBinary {
    provider::Error error;
    std::string why;  // with what is missing, and without a path
};

enum class Effort : std::uint8_t { Look, Compile };

class Store {
 public:
    virtual ~Store() = default;
    // From any thread. What comes back has the spec's slots. May throw bad_alloc.
    [[nodiscard]] virtual std::expected<Binary, NoBinary> find(const Spec& spec, Effort effort) = 0;
};

}  // namespace xdna
