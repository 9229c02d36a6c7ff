// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace acceld {

// Keeps a guest from filling the disk with log lines that it can cause at will.
class RateLimit {
 public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::uint64_t kLines = 10;
    static constexpr std::chrono::seconds kPeriod{10};

    // Whether a line may be written, and how many were left out before it.
    [[nodiscard]] std::optional<std::uint64_t> admit(Time now) {
        if (lines_ == 0 || now - start_ >= kPeriod) {
            start_ = now;
            lines_ = 0;
        }
        if (lines_ == kLines) {
            ++left_out_;
            return std::nullopt;
        }
        ++lines_;
        return std::exchange(left_out_, 0);
    }

 private:
    Time start_;
    std::uint64_t lines_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace acceld
