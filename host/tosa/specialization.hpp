// SPDX-License-Identifier: MIT
//
// What distinguishes one specialization of a program from another: the shapes and the
// compile-time constants that became known at run time (providers.md 1.11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory_resource>
#include <span>
#include <vector>

#include "tosa/graph.hpp"

namespace tosa {

struct Fingerprint {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

[[nodiscard]] Fingerprint fingerprint(std::span<const std::uint64_t> words);

// Records of tag, value, length and payload. Moving never allocates and never fails: there
// is no assignment, which would have to copy between memory resources.
class SpecializationKey {
 public:
    using Words = std::pmr::vector<std::uint64_t>;

    explicit SpecializationKey(Words words)
        : fingerprint_(tosa::fingerprint(words)), words_(std::move(words)) {}
    SpecializationKey(SpecializationKey&&) noexcept = default;
    SpecializationKey& operator=(SpecializationKey&&) = delete;
    SpecializationKey(const SpecializationKey&) = delete;
    SpecializationKey& operator=(const SpecializationKey&) = delete;
    ~SpecializationKey() = default;

    [[nodiscard]] const Fingerprint& fingerprint() const { return fingerprint_; }
    [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }

    // The fingerprint saves comparing words, and never stands for them: keys that collide
    // stay two keys.
    friend bool operator==(const SpecializationKey& a, const SpecializationKey& b) {
        return a.fingerprint_ == b.fingerprint_ && a.words_ == b.words_;
    }

 private:
    Fingerprint fingerprint_;
    Words words_;
};

enum class KeyError : std::uint8_t {
    ValuesOutOfOrder,  // value ids strictly increase
    TooManyWords,
    AllocationFailed,
};

// After a push that failed the builder is as it was before.
class SpecializationKeyBuilder {
 public:
    static constexpr std::uint64_t kShapeTag = 0x5348'4150'4500'0001;
    static constexpr std::uint64_t kConstantTag = 0x4354'4300'0000'0002;

    explicit SpecializationKeyBuilder(
        std::size_t max_words, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : max_words_(max_words), words_(memory) {}

    // The extents of a tensor, a word each.
    [[nodiscard]] std::expected<void, KeyError> push_shape(ValueId value,
                                                           std::span<const std::int32_t> dims);

    // The contents of a compile-time constant, eight bytes a word, little-endian.
    [[nodiscard]] std::expected<void, KeyError> push_constant(ValueId value,
                                                              std::span<const std::byte> contents);

    [[nodiscard]] SpecializationKey finish() && { return SpecializationKey(std::move(words_)); }

 private:
    // Room for the whole record, then its head.
    [[nodiscard]] std::expected<void, KeyError> begin(std::uint64_t tag, ValueId value,
                                                      std::size_t length,
                                                      std::size_t payload_words);

    std::size_t max_words_;
    std::uint64_t next_value_ = 0;  // the smallest that may come; one past the ids at the end
    SpecializationKey::Words words_;
};

}  // namespace tosa
