// SPDX-License-Identifier: MIT
//
// The artifact format and the twelve-word identity of a TOSA target (providers.md
// 1.1 and 1.2 hold the source of the numbers).
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tosa {

inline constexpr std::uint32_t kFormat = 0x544F5341;  // "TOSA", big-endian

inline constexpr std::uint32_t kProfileInteger = 1U << 0;
inline constexpr std::uint32_t kProfileFloat = 1U << 1;

inline constexpr std::uint64_t kExtensionInt16 = 1U << 0;
inline constexpr std::uint64_t kExtensionInt4 = 1U << 1;
inline constexpr std::uint64_t kExtensionBf16 = 1U << 2;
inline constexpr std::uint64_t kExtensionFp8E4M3 = 1U << 3;
inline constexpr std::uint64_t kExtensionFp8E5M2 = 1U << 4;
inline constexpr std::uint64_t kExtensionFft = 1U << 5;
inline constexpr std::uint64_t kExtensionVariable = 1U << 6;
inline constexpr std::uint64_t kExtensionControlFlow = 1U << 7;
inline constexpr std::uint64_t kExtensionDynamic = 1U << 8;
inline constexpr std::uint64_t kExtensionDoubleRound = 1U << 9;
inline constexpr std::uint64_t kExtensionInexactRound = 1U << 10;

enum class Level : std::uint32_t { Unbounded = 0, EightK = 1 };

struct Target {
    std::uint32_t major = 1;
    std::uint32_t minor = 0;
    std::uint32_t patch = 0;
    std::uint32_t profiles = 0;  // mask of kProfile*, nonzero
    Level level = Level::EightK;
    std::uint64_t extensions = 0;  // mask of kExtension*

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
    ExtensionProfileMismatch,  // an extension without the profile that it extends
};

using TargetWords = std::array<std::uint32_t, 12>;

[[nodiscard]] std::expected<Target, TargetError> decode_target(const TargetWords& words);
[[nodiscard]] TargetWords encode_target(const Target& target);

// "TOSA 1.0.0 PRO-FP, level 8K, EXT-BF16": the specification's spelling.
[[nodiscard]] std::string describe(const Target& target);

// The other way round, of words such as "pro-fp,level-8k,ext-bf16" in any order and case;
// without a level there is none. The error names the word, or says what does not go
// together.
[[nodiscard]] std::expected<Target, std::string> parse_target(std::string_view words);

// FLOATING_POINT, level 8K, no extensions: what the FP32 providers advertise.
inline constexpr Target kFloatTarget{.profiles = kProfileFloat};

// All of TOSA 1.0 without limits, but for EXT-DYNAMIC, which takes more than a file.
inline constexpr Target kEveryTarget{.profiles = kProfileInteger | kProfileFloat,
                                     .level = Level::Unbounded,
                                     .extensions = 0x7FF & ~kExtensionDynamic};

// Whether all that programs for `target` may use is part of `offered`.
[[nodiscard]] constexpr bool within(const Target& target, const Target& offered) {
    return target.major == offered.major && target.minor == offered.minor &&
           target.patch == offered.patch && (target.profiles & ~offered.profiles) == 0 &&
           (target.extensions & ~offered.extensions) == 0 &&
           (target.level == offered.level || offered.level == Level::Unbounded);
}

}  // namespace tosa
