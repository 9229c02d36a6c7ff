// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "driver/frames.hpp"
#include "wire/bytes.hpp"
#include "wire/status.hpp"

namespace driver {

// What writable memory holds before the device gets it.
inline constexpr std::byte kSentinel{0xA5};

// The writable side of a completed chain, taken at its word: for tests that look at
// the bytes themselves. Validator is for those that must not believe them.
struct Answer {
    std::uint32_t used = 0;
    Bytes written;  // the whole writable side, sentinel included

    [[nodiscard]] wire::Status status() const {
        return static_cast<wire::Status>(load<std::uint16_t>(0));
    }
    [[nodiscard]] std::uint64_t request_id() const { return load<std::uint64_t>(8); }
    [[nodiscard]] std::uint64_t id() const { return load<std::uint64_t>(16); }
    [[nodiscard]] std::span<const std::byte> response() const {
        return std::span(written).first(used);
    }
    [[nodiscard]] std::span<const std::byte> payload() const { return response().subspan(16); }
    // Nothing beyond the used length was touched.
    [[nodiscard]] bool rest_untouched() const {
        return std::ranges::all_of(std::span(written).subspan(used),
                                   [](std::byte byte) { return byte == kSentinel; });
    }

    template <class T>
    [[nodiscard]] T load(std::size_t offset) const {
        T value;
        std::memcpy(&value, written.data() + offset, sizeof value);
        return wire::le(value);
    }
};

}  // namespace driver
