// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tosa/diagnostic.hpp"
#include "tosa/limits.hpp"
#include "tosa_generated.h"

namespace tosa {

// "tensor 3": what has no name to be called by.
struct Item {
    std::string_view kind;
    std::uint32_t index;
};

// The file being read, and how much of the limits on its bytes is used up.
class Source {
 public:
    Source(std::span<const std::byte> file, const Limits& limits) : file_(file), limits_(limits) {}

    [[nodiscard]] std::span<const std::byte> file() const { return file_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }

    // Looking up a long name is what costs most in a hostile file, so each use counts.
    [[nodiscard]] Checked<std::string_view> use(const flatbuffers::String& name);
    [[nodiscard]] Checked<void> use_constant(std::span<const std::byte> data);

    // A name within the limit.
    [[nodiscard]] Checked<std::string_view> limited(const flatbuffers::String& name);

    // A name that must be there, not be empty and stay within the limit. `of` has it.
    [[nodiscard]] Checked<std::string_view> name(const flatbuffers::String* name, Item of);

 private:
    [[nodiscard]] bool use(std::uint64_t bytes);

    std::span<const std::byte> file_;
    const Limits& limits_;
    std::uint64_t apparent_bytes_ = 0;
    std::uint64_t constant_bytes_ = 0;
};

}  // namespace tosa
