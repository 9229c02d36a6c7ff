// SPDX-License-Identifier: MIT
//
// The artifact format and the twelve-word identity of a TOSA target (providers.md
// 1.1 and 1.2 hold the source of the numbers).
#pragma once

#include <array>
#include <cstdint>
#include <expected>

namespace tosa {

inline constexpr std::uint32_t kFormat = 0x544F5341;  // "TOSA", big-endian

inline constexpr std::uint32_t kProfileInteger = 1U << 0;
inline constexpr std::uint32_t kProfileFloat = 1U << 1;

enum class Level : std::uint32_t { Unbounded = 0, EightK = 1 };

struct Target {
    std::uint32_t major = 1;
    std::uint32_t minor = 0;
    std::uint32_t patch = 0;
    std::uint32_t profiles = 0;  // mask of kProfile*, nonzero
    Level level = Level::EightK;
    std::uint64_t extensions = 0;

    friend constexpr bool operator==(const Target&, const Target&) = default;
};

enum class TargetError : std::uint8_t {
    WrongMagic,
    UnknownAbi,
    VersionOutOfRange,
    InvalidProfiles,
    UnknownLevel,
    UnknownExtensions,
    ReservedWords,
    ExtensionProfileMismatch,
};

using TargetWords = std::array<std::uint32_t, 12>;

[[nodiscard]] std::expected<Target, TargetError> decode_target(const TargetWords& words);
[[nodiscard]] TargetWords encode_target(const Target& target);

// FLOATING_POINT, level 8K, no extensions: what the FP32 providers advertise.
inline constexpr Target kFloatTarget{.profiles = kProfileFloat};

}  // namespace tosa
