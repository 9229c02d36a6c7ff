// SPDX-License-Identifier: MIT
#include "tosa/target.hpp"

#include <algorithm>
#include <format>
#include <ranges>
#include <string_view>
#include <utility>

namespace tosa {
namespace {

constexpr std::uint32_t kMagic = kFormat;
constexpr std::uint32_t kAbi = 1;
constexpr std::uint32_t kMaxVersion = 0xFFFF;
constexpr std::uint32_t kKnownProfiles = kProfileInteger | kProfileFloat;
constexpr std::uint64_t kIntegerExtensions =
    kExtensionInt16 | kExtensionInt4 | kExtensionDoubleRound | kExtensionInexactRound;
constexpr std::uint64_t kFloatExtensions =
    kExtensionBf16 | kExtensionFp8E4M3 | kExtensionFp8E5M2 | kExtensionFft;
constexpr std::uint64_t kKnownExtensions = kIntegerExtensions | kFloatExtensions |
                                           kExtensionVariable | kExtensionControlFlow |
                                           kExtensionDynamic;

constexpr std::pair<std::uint64_t, std::string_view> kExtensionNames[] = {
    {kExtensionInt16, "EXT-INT16"},
    {kExtensionInt4, "EXT-INT4"},
    {kExtensionBf16, "EXT-BF16"},
    {kExtensionFp8E4M3, "EXT-FP8E4M3"},
    {kExtensionFp8E5M2, "EXT-FP8E5M2"},
    {kExtensionFft, "EXT-FFT"},
    {kExtensionVariable, "EXT-VARIABLE"},
    {kExtensionControlFlow, "EXT-CONTROLFLOW"},
    {kExtensionDynamic, "EXT-DYNAMIC"},
    {kExtensionDoubleRound, "EXT-DOUBLEROUND"},
    {kExtensionInexactRound, "EXT-INEXACTROUND"},
};

}  // namespace

std::expected<Target, TargetError> decode_target(const TargetWords& words) {
    if (words[0] != kMagic) return std::unexpected(TargetError::WrongMagic);
    if (words[1] != kAbi) return std::unexpected(TargetError::UnknownAbi);
    if (std::max({words[2], words[3], words[4]}) > kMaxVersion)
        return std::unexpected(TargetError::VersionOutOfRange);
    if (words[5] == 0 || (words[5] & ~kKnownProfiles) != 0)
        return std::unexpected(TargetError::InvalidProfiles);
    if (words[6] > static_cast<std::uint32_t>(Level::EightK))
        return std::unexpected(TargetError::UnknownLevel);

    const std::uint64_t extensions = words[7] | std::uint64_t{words[8]} << 32;
    if ((extensions & ~kKnownExtensions) != 0)
        return std::unexpected(TargetError::UnknownExtensions);
    if ((words[9] | words[10] | words[11]) != 0) return std::unexpected(TargetError::ReservedWords);

    const bool integer = (words[5] & kProfileInteger) != 0;
    const bool floating = (words[5] & kProfileFloat) != 0;
    if ((!integer && (extensions & kIntegerExtensions) != 0) ||
        (!floating && (extensions & kFloatExtensions) != 0))
        return std::unexpected(TargetError::ExtensionProfileMismatch);

    return Target{.major = words[2],
                  .minor = words[3],
                  .patch = words[4],
                  .profiles = words[5],
                  .level = static_cast<Level>(words[6]),
                  .extensions = extensions};
}

TargetWords encode_target(const Target& target) {
    return {kMagic,
            kAbi,
            target.major,
            target.minor,
            target.patch,
            target.profiles,
            static_cast<std::uint32_t>(target.level),
            static_cast<std::uint32_t>(target.extensions),
            static_cast<std::uint32_t>(target.extensions >> 32)};
}

std::string describe(const Target& target) {
    std::string text = std::format("TOSA {}.{}.{}", target.major, target.minor, target.patch);
    if ((target.profiles & kProfileInteger) != 0) text += " PRO-INT";
    if ((target.profiles & kProfileFloat) != 0) text += " PRO-FP";
    text += target.level == Level::EightK ? ", level 8K" : ", no level";
    for (const auto& [extension, name] : kExtensionNames)
        if ((target.extensions & extension) != 0) text += std::format(", {}", name);
    return text;
}

std::expected<Target, std::string> parse_target(std::string_view words) {
    Target target{.level = Level::Unbounded};
    for (const auto part : std::views::split(words, ',')) {
        std::string word(std::string_view{part});
        std::ranges::transform(word, word.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        });
        const auto* known = std::ranges::find(kExtensionNames, word,
                                              &std::pair<std::uint64_t, std::string_view>::second);
        if (known != std::end(kExtensionNames))
            target.extensions |= known->first;
        else if (word == "PRO-INT")
            target.profiles |= kProfileInteger;
        else if (word == "PRO-FP")
            target.profiles |= kProfileFloat;
        else if (word == "LEVEL-8K")
            target.level = Level::EightK;
        else
            return std::unexpected(
                std::format("'{}' is no word of a target", std::string_view{part}));
    }
    if (target.profiles == 0) return std::unexpected("pro-int, pro-fp or both are needed");
    if (!decode_target(encode_target(target)))
        return std::unexpected("an extension is there without the profile that it extends");
    return target;
}

}  // namespace tosa
