// SPDX-License-Identifier: MIT
//
// What the fuzz targets share: a reader of the fuzzer's bytes, and the end of a run that
// found something.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace fuzz {

// Past its end everything is zero.
class Input {
 public:
    Input(const std::uint8_t* data, std::size_t size)
        : rest_(std::as_bytes(std::span(data, size))) {}

    [[nodiscard]] bool empty() const { return rest_.empty(); }

    template <std::unsigned_integral T>
    [[nodiscard]] T take() {
        T value = 0;
        const auto bytes = take_bytes(sizeof(T));
        if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
        return value;
    }
    // As many as there are.
    [[nodiscard]] std::span<const std::byte> take_bytes(std::size_t count) {
        const auto bytes = rest_.first(std::min(count, rest_.size()));
        rest_ = rest_.subspan(bytes.size());
        return bytes;
    }
    [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

 private:
    std::span<const std::byte> rest_;
};

inline void require(bool fact, const char* what) {
    if (fact) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
