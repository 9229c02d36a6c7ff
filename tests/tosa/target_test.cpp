// SPDX-License-Identifier: MIT
#include "tosa/target.hpp"

#include <doctest/doctest.h>

#include "tosa/types.hpp"

namespace tosa {
namespace {

constexpr TargetWords kFloatWords{kFormat, 1, 1, 0, 0, 2, 1, 0, 0, 0, 0, 0};

TEST_CASE("the float target has its published words") {
    CHECK(encode_target(kFloatTarget) == kFloatWords);
    CHECK(decode_target(kFloatWords) == kFloatTarget);
}

TEST_CASE("every target that decodes encodes to the same words") {
    for (const auto& [profiles, extensions] :
         {std::pair{1U, 0x603ULL}, {2U, 0x3CULL}, {3U, 0x7FFULL}, {1U, 0x1C0ULL}, {2U, 0x1C0ULL}}) {
        CAPTURE(extensions);
        const Target target{.major = 0xFFFF,
                            .minor = 2,
                            .patch = 3,
                            .profiles = profiles,
                            .level = Level::Unbounded,
                            .extensions = extensions};
        CHECK(decode_target(encode_target(target)) == target);
    }
}

TEST_CASE("each bad word of a target identity has its own error") {
    struct Case {
        std::size_t word;
        std::uint32_t value;
        TargetError error;
    };
    for (const Case& bad : {
             Case{0, 0x41534F54, TargetError::WrongMagic},
             Case{1, 0, TargetError::UnknownAbi},
             Case{1, 2, TargetError::UnknownAbi},
             Case{2, 0x10000, TargetError::VersionOutOfRange},
             Case{3, 0x10000, TargetError::VersionOutOfRange},
             Case{4, 0xFFFFFFFF, TargetError::VersionOutOfRange},
             Case{5, 0, TargetError::InvalidProfiles},
             Case{5, 4, TargetError::InvalidProfiles},
             Case{6, 2, TargetError::UnknownLevel},
             Case{7, 1U << 11, TargetError::UnknownExtensions},
             Case{8, 1, TargetError::UnknownExtensions},
             Case{9, 1, TargetError::ReservedWords},
             Case{10, 1, TargetError::ReservedWords},
             Case{11, 1, TargetError::ReservedWords},
             Case{7, kExtensionInt16, TargetError::ExtensionProfileMismatch},
             Case{7, kExtensionInexactRound, TargetError::ExtensionProfileMismatch},
         }) {
        CAPTURE(bad.word);
        CAPTURE(bad.value);
        TargetWords words = kFloatWords;
        words.at(bad.word) = bad.value;
        CHECK(decode_target(words) == std::unexpected(bad.error));
    }
}

TEST_CASE("a float extension needs the float profile") {
    for (const std::uint64_t extension :
         {kExtensionBf16, kExtensionFp8E4M3, kExtensionFp8E5M2, kExtensionFft}) {
        CAPTURE(extension);
        const Target target{.profiles = kProfileInteger, .extensions = extension};
        CHECK(decode_target(encode_target(target)) ==
              std::unexpected(TargetError::ExtensionProfileMismatch));
    }
}

TEST_CASE("a target is described as the specification spells it") {
    CHECK(describe(kFloatTarget) == "TOSA 1.0.0 PRO-FP, level 8K");
    CHECK(describe({.minor = 1,
                    .profiles = kProfileInteger | kProfileFloat,
                    .level = Level::Unbounded,
                    .extensions = kExtensionBf16 | kExtensionInt4}) ==
          "TOSA 1.1.0 PRO-INT PRO-FP, no level, EXT-INT4, EXT-BF16");
}

TEST_CASE("a target is read from words, in any order and case") {
    CHECK(parse_target("pro-fp,level-8k") == kFloatTarget);
    CHECK(parse_target("Ext-Bf16,PRO-FP,pro-int") ==
          Target{.profiles = kProfileInteger | kProfileFloat,
                 .level = Level::Unbounded,
                 .extensions = kExtensionBf16});
    CHECK(parse_target("pro-fp,").error() == "'' is no word of a target");
    CHECK(parse_target("pro-fp,level-9k").error() == "'level-9k' is no word of a target");
    CHECK(parse_target("level-8k").error() == "pro-int, pro-fp or both are needed");
    CHECK(parse_target("pro-fp,ext-int4").error() ==
          "an extension is there without the profile that it extends");
    CHECK(encode_target(kEveryTarget)[5] == 3);
}

TEST_CASE("a target is within another that has all of it") {
    CHECK(within(kFloatTarget, kFloatTarget));
    CHECK(within(kFloatTarget, kEveryTarget));
    CHECK_FALSE(within(kEveryTarget, kFloatTarget));
    CHECK_FALSE(within({.minor = 1, .profiles = kProfileFloat}, kEveryTarget));
    CHECK_FALSE(within({.profiles = kProfileInteger}, kFloatTarget));
    CHECK_FALSE(within({.profiles = kProfileFloat, .extensions = kExtensionFft}, kFloatTarget));
    CHECK_FALSE(within({.profiles = kProfileFloat, .level = Level::Unbounded}, kFloatTarget));
}

TEST_CASE("operators and types are named as the specification spells them") {
    CHECK(name(Op::MatMul) == "MATMUL");
    CHECK(name(Op::ConstShape) == "CONST_SHAPE");
    CHECK(name(Op{0}) == "?");
    CHECK(name(Op{76}) == "?");
    CHECK(name(DType::Fp8E5M2) == "FP8E5M2");
    CHECK(name(DType::Unknown) == "?");
    CHECK(name(DType{13}) == "?");
}

}  // namespace
}  // namespace tosa
